// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import Glibc

/// Lines that are still to be written, and whether the first of them was begun.
nonisolated struct PendingLines {
    private static let lineEnd = UInt8(ascii: "\n")

    private var bytes: [UInt8] = []
    private var head = 0
    /// Whether what was written ends inside a line.
    private(set) var isInsideLine = false

    /// How many bytes wait.
    var count: Int { bytes.count - head }
    var isEmpty: Bool { count == 0 }

    mutating func append(_ line: String) {
        bytes += line.utf8
        bytes.append(Self.lineEnd)
    }

    /// Leaves only the rest of a line that was begun.
    mutating func removeWhatIsNotBegun() {
        var end = head
        if isInsideLine { end = bytes[head...].firstIndex(of: Self.lineEnd).map { $0 + 1 } ?? bytes.count }
        bytes.removeSubrange(end...)
    }

    /// Writes once to a descriptor that poll(2) calls writable: as many whole lines as PIPE_BUF bytes hold, which a pipe
    /// takes without blocking and together (pipe(7)), or a part of a longer line.
    ///
    /// - Throws: `OutputEnd` when nobody reads any more, `ControlFailure` when it cannot be written.
    mutating func write(to stream: StandardStream) throws {
        let window = bytes[head..<min(bytes.count, head + Int(PIPE_BUF))]
        let chunk = window.lastIndex(of: Self.lineEnd).map { bytes[head...$0] } ?? window
        let count = try stream.writeOnce(chunk)
        guard count > 0 else { return }
        head += count
        isInsideLine = bytes[head - 1] != Self.lineEnd
        if isEmpty || head > bytes.count / 2 {
            bytes.removeSubrange(..<head)
            head = 0
        }
    }
}
