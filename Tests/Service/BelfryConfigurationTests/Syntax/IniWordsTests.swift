// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryConfiguration
import Testing

struct IniWordsTests {
    @Test(arguments: [
        ("", []), ("  a  b ", ["a", "b"]), ("\"a b\" 'c d'", ["a b", "c d"]), ("\"\"", [""]),
        ("a\\sb \\x41\\101\\u00fc", ["a b", "AAü"]), ("'a\\'b'", ["a'b"]), ("\\\\", ["\\"]),
        ("--text=\"a b\"'c'd e", ["--text=a bcd", "e"]),
    ])
    func wordsAreSplitAsBySystemd(text: String, words: [String]) throws {
        #expect(try IniWords.split(text).map(\.text) == words)
    }

    @Test(arguments: [
        ("a \"b", 2), ("it's", 2), ("a\\", 1), ("a\\q", 1), ("\\x4", 0), ("\\x+4", 0), ("\\uD800", 0), ("\\000", 0),
        ("\\9", 0), ("\\x", 0), ("\\U0011FFFF", 0),
    ])
    func malformedQuotingIsRefusedWithItsPosition(text: String, offset: Int) {
        let problem = #expect(throws: ValueProblem.self) { try IniWords.split(text) }

        #expect(problem?.offset == offset)
    }

    @Test func offsetsPointAtTheWords() throws {
        #expect(try IniWords.split(" ä \"b c\" d").map(\.offset) == [1, 3, 9])
    }
}
