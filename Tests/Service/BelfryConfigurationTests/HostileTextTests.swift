// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryConfiguration
import Testing

/// Text that is slow to compare, and numbers that overflow, in every place of a file.
nonisolated struct HostileTextTests {
    /// 60 KB, for which canonical equivalence takes quadratic time.
    private static let marks = String(repeating: "\u{301}\u{323}", count: 15000)
    private static let places: [String] =
        [
            "[\(marks)]\n", "[Service \(marks)]\n", "[Cache \(marks)]\n", "[Cache a]\nPath=/\(marks)\n", "\(marks)\n",
            "\(marks)=1\n", "[Signals]\nUSR1=\(marks)\n", "[Signals]\nSIG\(marks)=stop\n",
            "[Signals]\nRTMIN+\(marks)=stop\n", "[Service]\nDisabledListeners=\(marks)\nDisabledListeners=\(marks)\n",
        ]
        + MemoryFiles.load("").effective.schema.flatMap { section in
            let header = section.instance == nil ? "[\(section.name)]\n" : "[\(section.name) x]\nPath=/x\n"
            return ["\(header)\(marks)=1\n", "\(header)a\(marks)=1\n"]
                + section.read.flatMap { ["\(header)\($0.name)=\(marks)\n", "\(header)\($0.name)=1\(marks)\n"] }
        }

    @Test(.timeLimit(.minutes(1)), arguments: places.indices)
    func combiningMarksTakeLinearTime(place: Int) {
        let text = Self.places[place]
        let loaded = MemoryFiles.load(text)

        #expect(loaded.diagnostics.allSatisfy { $0.description.utf8.count < 2000 })
        #expect(loaded.restartKeys(changedFrom: MemoryFiles.load(text)).isEmpty)
    }

    @Test func textsAreComparedAsBytes() {
        let names = ["\u{E9}", "e\u{301}"]
        let loaded = names.map { MemoryFiles.load("[Service]\nDisabledListeners=\($0)\nRuntimeDirectory=/\($0)\n") }

        #expect(loaded[0].restartKeys(changedFrom: loaded[1]).count == 2)
    }

    private static let numbers = [
        "-1", "0", "9223372036854775807", "9223372036854775808", "-9223372036854775808", "18446744073709551615",
        "18446744073709551616", "340282366920938463463374607431768211456", "9223372036854775807us", "292271y", "16E",
        "15.99999999999E", "0.99999999999999999999999999E", "1e308", "0x7fffffffffffffff", "+9223372036854775807",
        "infinity", "nan", String(repeating: "9", count: 3000), "1." + String(repeating: "9", count: 3000),
        String(repeating: "1s ", count: 2000), String(repeating: "1y", count: 3000),
    ]

    @Test(arguments: numbers.indices)
    func extremeNumberDoesNotCrash(index: Int) {
        let number = Self.numbers[index]
        for section in MemoryFiles.load("").effective.schema {
            let header = section.instance == nil ? "[\(section.name)]\n" : "[\(section.name) x]\nPath=/x\n"
            for key in section.read {
                let loaded = MemoryFiles.load("\(header)\(key.name)=\(number)\n")

                #expect(loaded.settings != nil || !loaded.diagnostics.isEmpty)
            }
        }
    }

    @Test(arguments: ["\n", "\r\n", "\r"])
    func lineEndsAreThoseOfSystemd(end: String) {
        let lines = [
            "[Service]", "# a comment", "StopTimeout=1\\", "min", "", "ListenerTimeout=2 \\", "; a comment", "3",
            "Wrong=1", "",
        ]
        let loaded = MemoryFiles.load(lines.joined(separator: end))

        #expect(loaded.decoded.service.stopTimeout == .seconds(60))
        #expect(loaded.decoded.service.listenerTimeout == .seconds(5))
        #expect(loaded.diagnostics.map { [$0.position.line, $0.position.column] } == [[9, 1]])
    }
}
