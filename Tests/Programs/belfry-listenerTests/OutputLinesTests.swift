// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

@testable import belfry_listener
import BelfryEventLoop
import Testing

struct OutputLinesTests {
    private let start = MonotonicInstant(microseconds: 1_000_000)
    private let later = MonotonicInstant(microseconds: 7_000_000)

    @Test func linesAreSplitAndTheRestComesAtTheEnd() {
        var lines = OutputLines()

        #expect(lines.add("a\r\n\nb".utf8, at: start) == [.line("a"), .line("")])
        #expect(lines.add("c\nd".utf8, at: start) == [.line("bc")])
        #expect(lines.end(at: start) == [.line("d")])
        #expect(lines.last == "d")
    }

    @Test func aLongLineIsCutAndSaysSo() {
        var lines = OutputLines()
        let long = String(repeating: "x", count: OutputLines.longestLine + 10)

        let cut = lines.add((long + "\n").utf8, at: start)

        #expect(cut == [.line(String(repeating: "x", count: OutputLines.longestLine) + "… (10 bytes cut)")])
    }

    @Test func aFloodIsCutAndReported() {
        var lines = OutputLines()
        let flood = String(repeating: "flood\n", count: OutputLines.limit.lines + 500) + "last\n"

        #expect(lines.add(flood.utf8, at: start).count == OutputLines.limit.lines)
        #expect(lines.last == "last")
        #expect(lines.add("calm\n".utf8, at: later) == [.dropped(lines: 501, bytes: 2504), .line("calm")])
        #expect(lines.end(at: later) == [])
    }

    @Test func aFloodWithoutLineEndsTakesLittleMemory() {
        var lines = OutputLines()
        let block = [UInt8](repeating: 0, count: 1 << 16)

        for _ in 0..<64 { #expect(lines.add(block, at: start) == []) }

        let zeros = String(repeating: "\0", count: OutputLines.longestLine)
        #expect(lines.end(at: start) == [.line(zeros + "… (\((64 << 16) - OutputLines.longestLine) bytes cut)")])
        #expect(lines.last == nil)
    }

    @Test func emptyLinesAreNoReason() {
        var lines = OutputLines()

        _ = lines.add("why\n \n\n".utf8, at: start)

        #expect(lines.last == "why")
    }
}
