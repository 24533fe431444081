// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryConfiguration
import BelfrySystemd
import Testing

struct ValueTextTests {
    @Test func logLevelsHaveNamesAndNumbers() {
        #expect(LogPriority("emerg") == .emergency && LogPriority("0") == .emergency)
        #expect(LogPriority("warning") == .warning && LogPriority("4") == .warning)
        #expect(LogPriority("debug") == .debug && LogPriority("7") == .debug)
        #expect(LogPriority("8") == nil && LogPriority("Info") == nil && LogPriority("") == nil)
        #expect(LogPriority.allCases.allSatisfy { LogPriority($0.name) == $0 })
    }

    @Test(arguments: [("/", "/"), ("/a", "/a"), ("//a/./b//c/", "/a/b/c"), ("/a b/ü", "/a b/ü")])
    func pathsAreSimplified(text: String, path: String) throws {
        #expect(try AbsolutePath.parse(text) == path)
    }

    @Test(arguments: ["", "a/b", "./a", "~/a", "/a/../b", "/..", "/a\u{7}", "/" + String(repeating: "a", count: 4096)])
    func otherTextIsNoPath(text: String) {
        #expect(throws: ValueProblem.self) { try AbsolutePath.parse(text) }
    }

    @Test func socketPathsFitTheirAddress() throws {
        let longest = "/" + String(repeating: "a", count: 106)

        #expect(try AbsolutePath.parseSocket(longest) == longest)
        #expect(try AbsolutePath.parseSocket("@belfry") == "@belfry")
        for text in [longest + "a", "@", "/", "relative", "@a\u{1}"] {
            #expect(throws: ValueProblem.self) { try AbsolutePath.parseSocket(text) }
        }
    }
}
