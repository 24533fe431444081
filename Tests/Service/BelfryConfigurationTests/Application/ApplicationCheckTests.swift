// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryConfiguration
import Foundation
import TestSupport
import Testing

struct ApplicationCheckTests {
    @Test func theUsersOfBothUnitsMustBeAbleToReadTheFile() throws {
        let directory = try TemporaryDirectory()
        let text = "[Application]\nUnit=a.service\nUser=root\n[On]\nStop=/bin/sh\n"
        let path = try directory.write("root/etc/belfry/applications/x.conf", text)
        try #require(chmod(path, 0o600) == 0)

        var asked: [String] = []
        let check = ApplicationCheck("x", in: .system(root: directory.path("root"))) { unit, user in
            asked.append("\(unit) \(user ?? "-")")
            return FileAccount("user 'lamp' of \(unit)", uid: 4_000_000, groups: [])
        }

        #expect(asked == ["belfry-listener@x.service root", "belfryd@x.service -"])
        let found = check.diagnostics.map(\.description).sorted()
        #expect(found.count == 2)
        for (problem, unit) in zip(found, ["belfry-listener", "belfryd"]) {
            #expect(problem.hasPrefix("\(path):2:1: error: user 'lamp' of \(unit)@x.service cannot "))
        }
    }
}
