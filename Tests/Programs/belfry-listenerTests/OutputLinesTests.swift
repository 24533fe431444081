// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

@testable import belfry_listener
import BelfryEventLoop
import Testing

struct OutputLinesTests {
    private var lines = OutputLines()
    private let start = MonotonicInstant(microseconds: 1_000_000)
    private let later = MonotonicInstant(microseconds: 7_000_000)

    @Test mutating func linesAreSplitAndTheRestComesAtTheEnd() {
        #expect(lines.add("a\r\n\nb".utf8, at: start) == [.line("a"), .line("")])
        #expect(lines.add("c\nd".utf8, at: start) == [.line("bc")])
        #expect(lines.end(at: start) == [.line("d")])
        #expect(lines.reason == "a; bc; d")
    }

    @Test mutating func aLongLineIsCutAndSaysSo() {
        let long = String(repeating: "x", count: OutputLines.longestLine + 10)

        let cut = lines.add((long + "\n").utf8, at: start)

        #expect(cut == [.line(String(repeating: "x", count: OutputLines.longestLine) + "… (10 bytes cut)")])
    }

    @Test mutating func aFloodIsCutAndReported() {
        let flood = String(repeating: "flood\n", count: OutputLines.limit.lines + 500) + "last\n"

        #expect(lines.add(flood.utf8, at: start).count == OutputLines.limit.lines)
        #expect(lines.reason == "flood; flood; flood; flood; last")
        #expect(lines.add("calm\n".utf8, at: later) == [.dropped(lines: 501, bytes: 2504), .line("calm")])
        #expect(lines.end(at: later) == [])
    }

    @Test mutating func aFloodWithoutLineEndsTakesLittleMemory() {
        let block = [UInt8](repeating: 0, count: 1 << 16)

        for _ in 0..<64 { #expect(lines.add(block, at: start) == []) }

        let zeros = String(repeating: "\0", count: OutputLines.longestLine)
        #expect(lines.end(at: start) == [.line(zeros + "… (\((64 << 16) - OutputLines.longestLine) bytes cut)")])
        #expect(lines.reason == nil)
    }

    @Test mutating func emptyLinesAreNoReason() {
        _ = lines.add("why\n \n\n".utf8, at: start)

        #expect(lines.reason == "why")
    }

    /// As nginx -t prints it: the last line alone does not say what is wrong.
    @Test mutating func theReasonHasTheLastFiveLines() {
        _ = lines.add(
            "1\n2\n3\n4\nunknown directive \"foo\" in nginx.conf:3\r\nnginx.conf test \u{1B}failed\n".utf8, at: start)

        #expect(lines.reason == #"2; 3; 4; unknown directive "foo" in nginx.conf:3; nginx.conf test \u{1B}failed"#)
    }

    @Test mutating func eachLineOfTheReasonIsCut() {
        _ = lines.add((String(repeating: "x", count: 600) + "\nend\n").utf8, at: start)

        #expect(lines.reason == String(repeating: "x", count: OutputLines.reasonLimit.bytes) + "…; end")
    }
}
