// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryConfiguration
import Testing

struct InstanceNameTests {
    @Test(arguments: ["video", "1", "a-b_c.d@e", "...", String(repeating: "v", count: 200)])
    func namesOfSystemdAreAccepted(name: String) throws {
        #expect(try InstanceName.parse(name) == name)
    }

    @Test(
        arguments: [
            ("", "missing name of the instance"), (".", "invalid instance '.', it is the name of a directory"),
            ("..", "invalid instance '..', it is the name of a directory"),
            ("../../etc", "invalid instance '../../etc', expected letters"),
            ("a:b", "invalid instance 'a:b', expected letters"), (#"a\x2d"#, "invalid instance"),
            ("a b", "invalid instance 'a b', expected letters"),
            ("a\n", #"invalid instance 'a\n', expected letters"#), ("é", "invalid instance 'é', expected letters"),
            (String(repeating: "v", count: 201), "name of the instance is longer than 200 characters"),
        ])
    func othersAreRefused(name: String, problem: String) {
        #expect {
            try InstanceName.parse(name)
        } throws: {
            ($0 as? ValueProblem)?.message.hasPrefix(problem) ?? false
        }
    }

    @Test func instanceIsPartOfTheFullName() {
        #expect(InstanceName.full("belfryd", "video") == "belfryd@video")
        #expect(InstanceName.full("belfryd", nil) == "belfryd")
    }
}
