// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryConfiguration
import Testing

struct ValueTextTests {
    @Test(arguments: [
        ("yes", true), ("true", true), ("ON", true), ("1", true), ("y", true), ("no", false), ("False", false),
        ("off", false), ("0", false), ("n", false),
    ])
    func booleansReadAsInSystemd(text: String, value: Bool) throws {
        #expect(try BooleanText.parse(text) == value)
    }

    @Test(arguments: ["", "2", "yess", "enabled"])
    func otherWordsAreNoBooleans(text: String) {
        #expect(throws: ValueProblem.self) { try BooleanText.parse(text) }
    }

    @Test(arguments: [
        ("5s", 5_000_000), ("5", 5_000_000), ("1min 30s", 90_000_000), ("1min30", 90_000_000), ("2 h", 7_200_000_000),
        ("500ms", 500_000), ("1.5s", 1_500_000), (".5", 500_000), ("0", 0), ("20us", 20), ("20µs", 20), ("20μs", 20),
        ("2hours", 7_200_000_000), ("48hr", 172_800_000_000), ("1y 12month", 63_115_200_000_000),
        ("3M", 7_889_400_000_000),
        ("55s500ms", 55_500_000), ("300ms20s 5day", 432_020_300_000), ("1w", 604_800_000_000), ("0.0000019s", 1),
        ("0.1234567890123456789012s", 123_456),
    ])
    func timeSpansReadAsInSystemd(text: String, microseconds: Int64) throws {
        #expect(try TimeSpanText.parse(text) == .microseconds(microseconds))
    }

    @Test func infinityIsNoNumber() throws {
        #expect(try TimeSpanText.parse("infinity") == nil)
        #expect(try ByteSizeText.parse("infinity") == nil)
    }

    @Test(arguments: [
        ("", 0), ("s", 0), ("-5s", 0), ("5 parsecs", 2), ("5x", 1), ("1min infinity", 5), ("5.s", 2), ("5,5s", 1),
        ("999999999999y", 0), ("99999999999999999999999", 0), ("1s 99999999999999999999999", 3), ("5sec.", 5),
    ])
    func otherTextIsNoTimeSpan(text: String, offset: Int) {
        let problem = #expect(throws: ValueProblem.self) { try TimeSpanText.parse(text) }

        #expect(problem?.offset == offset)
    }

    @Test(arguments: [
        ("0", 0), ("4096", 4096), ("64K", 65536), ("1M", 1 << 20), ("2G", 2 << 30), ("1T", 1 << 40), ("1.5G", 3 << 29),
        ("1G 512M", 3 << 29), ("10 B", 10), ("0.1K", 102), ("18446744073709551615", UInt64.max),
    ])
    func sizesReadAsInSystemd(text: String, bytes: UInt64) throws {
        #expect(try ByteSizeText.parse(text) == bytes)
    }

    @Test(arguments: ["", "K", "-1", "1k", "1KiB", "1Q", "1 M G", "1M 1G", "18446744073709551616", "16E", "1M1M"])
    func otherTextIsNoSize(text: String) {
        #expect(throws: ValueProblem.self) { try ByteSizeText.parse(text) }
    }

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
