// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryEventLoop
import BelfrySystemd
import CBelfry
import Glibc
import TestSupport
import Testing

/// Standard error, which is lines of text.
@Suite(.timeLimit(.minutes(1)))
struct RecordWriterTests {
    private nonisolated static let forged = "a\r\nbelfryd: b\nc\rd\u{85}e\u{2028}f\u{0}g\u{1B}[2Jh"

    /// Everything that can be read from a descriptor without blocking.
    private func read(_ descriptor: Int32) -> String {
        var text: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while case let count = Glibc.read(descriptor, &buffer, buffer.count), count > 0 { text += buffer[..<count] }
        return String(decoding: text, as: UTF8.self)
    }

    private func pipe() throws -> (read: Int32, write: Int32) {
        var ends: [Int32] = [-1, -1]
        try #require(Glibc.pipe(&ends) == 0)
        try #require(fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0)
        return (ends[0], ends[1])
    }

    /// Text from outside, of several lines.
    private func record(_ message: String) -> JournalRecord {
        var record = JournalRecord(.info, RecordText(lines: message))
        record.realtimeUsec = 0
        return record
    }

    private static let head = "1970-01-01T00:00:00.000000Z info belfryd: "

    @Test func valuesInATextAreEscapedAndCut() {
        let reason = Self.forged
        let long = String(repeating: "ä", count: 1000)
        let text: RecordText = "hold '\(reason)' and '\(long)'\nnext \(7)"

        let escaped = #"a\r\nbelfryd: b\nc\rd\u{0085}e\u{2028}f\0g\u{1B}[2Jh"#
        #expect(text.description == "hold '\(escaped)' and '\(String(repeating: "ä", count: 256))…'\nnext 7")
    }

    @Test func untrustedTextForgesNoLineOnStandardError() throws {
        let ends = try pipe()
        defer { close(ends.read) }
        let writer = StandardErrorWriter(identifier: "belfryd", descriptor: ends.write)
        close(ends.write)

        writer.write(record(Self.forged))

        #expect(
            read(ends.read) == Self.head + "a\\r\n  belfryd: b\n  " + #"c\rd\u{0085}e\u{2028}f\0g\u{1B}[2Jh"# + "\n")
    }

    @Test(arguments: ["pipe", "socket"])
    func unreadOutputIsPendingAndArrivesComplete(kind: String) throws {
        let loop = try MainEventLoop()
        var ends = try pipe()
        if kind == "socket" {
            close(ends.read)
            close(ends.write)
            var pair: [Int32] = [-1, -1]
            try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &pair) == 0)
            try #require(fcntl(pair[0], F_SETFL, O_NONBLOCK) == 0)
            ends = (pair[0], pair[1])
        }
        defer {
            close(ends.read)
            close(ends.write)
        }
        let writer = StandardErrorWriter(identifier: "belfryd", descriptor: ends.write)
        writer.queue?.loop = loop
        let filler = String(repeating: "x", count: 5000)

        for number in 0..<1000 { writer.write(record("\(number) \(filler)")) }
        #expect(writer.queue?.isEmpty == false)
        #expect(fcntl(ends.write, F_GETFL) & O_NONBLOCK == 0, "other processes share the descriptor")
        var text = ""
        try loop.turn {
            text += read(ends.read)
            return writer.queue?.isEmpty == true
        }
        text += read(ends.read)

        #expect(text == (0..<1000).map { "\(Self.head)\($0) \(filler)\n" }.joined())
    }

    @Test func stoppedTerminalDoesNotBlockTheWriter() throws {
        // Swift's Glibc has neither posix_openpt(3) nor the ioctls below it (ioctl_tty(2)).
        let main = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_NONBLOCK)
        var number: Int32 = 0
        try #require(main >= 0 && ioctl(main, 0x4004_5431, &number) == 0 && ioctl(main, 0x8004_5430, &number) == 0)
        let terminal = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY)
        try #require(terminal >= 0)
        defer {
            close(main)
            close(terminal)
        }
        let writer = StandardErrorWriter(identifier: "belfryd", descriptor: terminal)
        try #require(tcflow(terminal, TCOOFF) == 0)

        for number in 0..<100 { writer.write(record("\(number)")) }
        #expect(writer.queue?.isEmpty == false)
        try #require(tcflow(terminal, TCOON) == 0)
        writer.queue?.finish()

        #expect(read(main).utf8.split(separator: 10).count == 100)
    }
}
