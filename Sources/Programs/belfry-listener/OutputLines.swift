// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryEventLoop
import BelfryJSON
import BelfryLinux

/// The output of a program as lines, limited in length and in rate. What is dropped is counted, and reported before the
/// next line that is let through, and at the end.
nonisolated struct OutputLines {
    enum Piece: Equatable {
        case line(String)
        case dropped(lines: Int, bytes: Int)
    }

    /// The longest line, in bytes. The rest of a longer line is cut.
    static let longestLine = 4096
    /// How much is let through in one interval.
    static let limit = (lines: 1000, bytes: 256 << 10, interval: Duration.seconds(5))

    /// How many lines a reason has, and how many bytes of each.
    static let reasonLimit = (lines: 5, bytes: 512)

    /// The last lines with text, fit for one line of a log: the reason of a failure. Nil if there is none.
    var reason: String? {
        lastLines.isEmpty
            ? nil
            : lastLines.map { SystemError.escape($0.cut(toBytes: Self.reasonLimit.bytes)) }.joined(separator: "; ")
    }

    /// The last line with text; nil if there is none.
    var last: String? { lastLines.last }

    /// The last lines with text.
    private var lastLines: [String] = []

    private var line: [UInt8] = []
    /// How many bytes of the line were cut.
    private var excess = 0
    private var start: MonotonicInstant?
    private var used = (lines: 0, bytes: 0)
    private var dropped = (lines: 0, bytes: 0)

    /// Adds output.
    ///
    /// - Returns: the complete lines that are let through, and what was dropped before them.
    mutating func add(_ bytes: some Collection<UInt8>, at now: MonotonicInstant) -> [Piece] {
        var lines: [Piece] = []
        var rest = bytes[...]
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            append(rest[..<end])
            rest = rest[rest.index(after: end)...]
            lines += complete(at: now)
        }
        append(rest)
        return lines
    }

    /// The rest of the output, and what was cut.
    mutating func end(at now: MonotonicInstant) -> [Piece] {
        (line.isEmpty && excess == 0 ? [] : complete(at: now)) + report()
    }

    private mutating func append(_ bytes: some Collection<UInt8>) {
        let room = Self.longestLine - line.count
        line += bytes.prefix(room)
        excess += max(0, bytes.count - room)
    }

    private mutating func complete(at now: MonotonicInstant) -> [Piece] {
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        var text = String(decoding: line, as: UTF8.self)
        if text.utf8.contains(where: { $0 > UInt8(ascii: " ") }) {
            lastLines.append(text)
            if lastLines.count > Self.reasonLimit.lines { lastLines.removeFirst() }
        }
        if excess > 0 { text += "… (\(excess) bytes cut)" }
        let size = line.count + excess
        line.removeAll(keepingCapacity: true)
        excess = 0
        guard admits(text.utf8.count, at: now) else {
            dropped.lines += 1
            dropped.bytes += size
            return []
        }
        return report() + [.line(text)]
    }

    private mutating func admits(_ size: Int, at now: MonotonicInstant) -> Bool {
        if start.map({ now - $0 >= Self.limit.interval }) ?? true {
            start = now
            used = (0, 0)
        }
        guard used.lines < Self.limit.lines, used.bytes + size <= Self.limit.bytes else { return false }
        used.lines += 1
        used.bytes += size
        return true
    }

    private mutating func report() -> [Piece] {
        guard dropped.lines > 0 else { return [] }
        defer { dropped = (0, 0) }
        return [.dropped(lines: dropped.lines, bytes: dropped.bytes)]
    }
}
