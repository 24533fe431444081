// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryConfiguration
import Foundation
import TestSupport
import Testing

/// Values compared with systemd: the expectations of its tests (test-time-util.c, test-parse-util.c), and for time spans
/// the output of systemd-analyze(1) on this machine.
nonisolated struct SystemdVectorTests {
    private static let timeSpans: [(text: String, microseconds: Int64)] = [
        ("5s", 5_000_000), ("5s500ms", 5_500_000), (" 5s 500ms  ", 5_500_000), (" 5.5s  ", 5_500_000),
        (" 5.5s 0.5ms ", 5_500_500), (" .22s ", 220_000), (" .50y ", 15_778_800_000_000), ("2.5", 2_500_000),
        (".7", 700_000), ("23us", 23), ("23\u{B5}s", 23), ("23\u{3BC}s", 23), ("+3.1s", 3_100_000),
        ("3.1s.2", 3_300_000), ("3.1 .2", 3_300_000), ("3.1 sec .2 sec", 3_300_000), ("3.1 sec 1.2 sec", 4_300_000),
        ("5", 5_000_000), ("1.1111111111111y", 35_063_999_999_997), ("0", 0), ("00005s", 5_000_000),
        ("1min 30s", 90_000_000), ("1min30", 90_000_000), ("2 h", 7_200_000_000), ("5 s 6", 11_000_000),
        ("5s+3s", 8_000_000), ("5 +3", 8_000_000), ("\t5\ns", 5_000_000), ("1usec", 1), ("1us", 1), ("1msec", 1000),
        ("1ms", 1000), ("1seconds", 1_000_000), ("1second", 1_000_000), ("1sec", 1_000_000), ("1s", 1_000_000),
        ("1minutes", 60_000_000), ("1minute", 60_000_000), ("1min", 60_000_000), ("1m", 60_000_000),
        ("1hours", 3_600_000_000), ("1hour", 3_600_000_000), ("1hr", 3_600_000_000), ("1h", 3_600_000_000),
        ("1days", 86_400_000_000), ("1day", 86_400_000_000), ("1d", 86_400_000_000), ("1weeks", 604_800_000_000),
        ("1week", 604_800_000_000), ("1w", 604_800_000_000), ("1months", 2_629_800_000_000),
        ("1month", 2_629_800_000_000), ("1M", 2_629_800_000_000), ("1years", 31_557_600_000_000),
        ("1year", 31_557_600_000_000), ("1y", 31_557_600_000_000), ("0.0000019s", 1), ("0.5us", 0),
        ("1.9999999us", 1), ("0.99999999999999999999s", 999_999), ("300ms20s 5day", 432_020_300_000),
        ("9223372036854775807us", .max),
    ]

    private static let noTimeSpans = [
        " xyz ", "", " ", " . ", " 5. ", ".s ", "-5s ", "-0.3s ", "-0.0s ", "-0.-0s ", "0.-0s ", "3.-0s ",
        " infinity .7",
        ".3 infinity", "3.+1s", "3. 1s", "3.s", "12.34.56", "12..34", "..1234", "1234..", "11111111111111y", "+ 5",
        "++5",
        "+-5", "+.5", "-0", "5+3", "0x5", "1e3", "1,5", "1mon", "1ns", "1nsec", "1S", "1Y", "1minutesx", "5sec.",
        "5.5.5s",
        "12.34.56s", "1.2.3", "5 parsecs", "INFINITY", "infinitys", "584542y", "9223372036854775808us",
        "18446744073709551615us", "18446744073709551616us", "99999999999999999999999999", "1s\u{301}", "\u{661}s",
    ]

    @Test(arguments: timeSpans)
    func timeSpansReadAsInSystemd(text: String, microseconds: Int64) throws {
        #expect(try TimeSpanText.parse(text) == .microseconds(microseconds))
    }

    @Test(arguments: noTimeSpans)
    func otherTextIsNoTimeSpan(text: String) {
        #expect(throws: ValueProblem.self) { try TimeSpanText.parse(text) }
    }

    @Test(arguments: ["infinity", " infinity "])
    func infinityHasNoDuration(text: String) throws {
        #expect(try TimeSpanText.parse(text) == nil)
    }

    @Test(arguments: [
        ("", 0), ("5 parsecs", 2), ("5x", 1), ("1min infinity", 5), ("5.s", 2), ("5,5s", 1), ("12.34.56", 5),
        ("1s 99999999999999999999999", 3), ("\u{B5}", 0), ("1\u{B5}s 1x", 5), ("infinity 5", 9),
    ])
    func problemOfATimeSpanHasItsPosition(text: String, offset: Int) {
        #expect(throws: ValueProblem.self) { try TimeSpanText.parse(text) }
        #expect(problem(of: text)?.offset == offset)
    }

    private func problem(of text: String) -> ValueProblem? {
        do throws(ValueProblem) {
            _ = try TimeSpanText.parse(text)
            return nil
        } catch {
            return error
        }
    }

    /// systemd accepts a sum above 2^63 - 1 microseconds, which is refused here.
    @Test func sumOfTimeSpansIsLimited() {
        #expect(throws: ValueProblem.self) { try TimeSpanText.parse("9223372036854775807us 1us") }
    }

    @Test func timeSpansMatchSystemdAnalyze() throws {
        var generator = SeededRandom(seed: 25)
        let pieces = [
            "1", "30", "0", "007", ".5", ".25", ".1234567", ".", "+", "-", " ", "  ", "\t", "s", "sec", "min", "m",
            "ms", "us",
            "\u{B5}s", "\u{3BC}s", "h", "hr", "d", "w", "M", "month", "y", "x", "infinity", "99999999999", "1e3",
        ]
        let random = (0..<200).map { _ in
            (0..<Int.random(in: 1...6, using: &generator)).map { _ in
                pieces.randomElement(using: &generator) ?? ""
            }.joined()
        }
        for text in Self.timeSpans.map(\.text) + Self.noTimeSpans + random {
            let expected = try Self.systemdAnalyze(text)

            let read = Result { try TimeSpanText.parse(text) }

            let microseconds: String? =
                switch read {
                case .success(let span?):
                    "\(span.components.seconds * 1_000_000 + span.components.attoseconds / 1_000_000_000_000)"
                case .success(nil): "infinity"
                case .failure: nil
                }
            #expect(microseconds == expected, "\(text)")
        }
    }

    /// The result of `systemd-analyze timespan`: microseconds, `infinity`, or nil if it refuses the text.
    private static func systemdAnalyze(_ text: String) throws -> String? {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/systemd-analyze")
        process.arguments = ["timespan", "--", text]
        process.environment = ["LC_ALL": "C"]
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { return nil }
        let lines = String(decoding: data, as: UTF8.self).split(separator: "\n")
        let line = try #require(lines.first { $0.contains("s: ") && !$0.contains("Original") }, "\(lines)")
        let value = try #require(line.split(separator: " ").last)
        return value == "18446744073709551615" ? "infinity" : String(value)
    }

    @Test(
        arguments: [
            ("111", 111), ("111.4", 111), (" 112 B", 112), (" 112.6 B", 112), ("3.5 K", 3584), ("3. K", 3072),
            ("3.0 K", 3072), (" 4 M 11.5K", 4_206_080), ("3.5G3B", 3_758_096_387), ("3.5G 4B", 3_758_096_388),
            ("4T3G3B", 4_401_267_736_579), (" 4 T 3 G 3 B", 4_401_267_736_579), ("12P", 13_510_798_882_111_488),
            ("3E 2P", 3_461_016_313_634_226_176), ("0", 0), ("4096", 4096), ("64K", 65536), ("1.5G", 3 << 29),
            ("1G 512M", 3 << 29), ("+5", 5), ("10.M", 10 << 20), ("1K 5", 1029), ("1B 5", 6), ("0.1K", 102),
            ("0.7E", 807_045_053_224_792_832), ("18446744073709551615", UInt64.max),
            ("15.999999E", 18_446_742_920_788_047_104),
        ] as [(String, UInt64)])
    func sizesReadAsInSystemd(text: String, bytes: UInt64) throws {
        #expect(try ByteSizeText.parse(text) == bytes)
    }

    @Test(arguments: [
        "", "3. 0 K", "3B3.5G", "3B3G4T", "12P12P", "12X", "12.5X", "12.5e3", "1024E", "-1", "-1024E", "-1024P",
        "-10B 20K",
        "K", ".5M", "+.5", "-0", "1k", "1KiB", "1Q", "5 5", "1 M G", "1M 1G", "1M1M", "16E", "15.9E 2P 100P",
        "18446744073709551616", "1.99999999999999999999K", "infinity 1", "5K ",
    ])
    func otherTextIsNoSize(text: String) {
        #expect(throws: ValueProblem.self) { try ByteSizeText.parse(text) }
    }

    @Test func infiniteSizeHasNoNumber() throws {
        #expect(try ByteSizeText.parse("infinity") == nil)
    }

    @Test(arguments: [
        ("1", true), ("y", true), ("Y", true), ("yes", true), ("YES", true), ("true", true), ("TRUE", true),
        ("t", true),
        ("on", true), ("ON", true), ("0", false), ("n", false), ("N", false), ("no", false), ("NO", false),
        ("f", false),
        ("false", false), ("FALSE", false), ("off", false), ("OFF", false),
    ])
    func booleansReadAsInSystemd(text: String, value: Bool) throws {
        #expect(try BooleanText.parse(text) == value)
    }

    @Test(arguments: ["garbage", "", "full", "2", "yess", "enabled", " yes", "yes\u{301}", "\u{FF59}"])
    func otherWordsAreNoBooleans(text: String) {
        #expect(throws: ValueProblem.self) { try BooleanText.parse(text) }
    }
}
