// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Glibc

/// The reading end of a child's standard stream.
struct ChildPipe {
    private static let limit: Int32 = 20_000

    private var descriptor: Int32
    private var buffer: [UInt8] = []

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    /// The next line, or nil at the end or when none comes for 20 s.
    mutating func line() -> String? {
        while true {
            if let end = buffer.firstIndex(of: UInt8(ascii: "\n")) {
                defer { buffer.removeSubrange(...end) }
                return String(decoding: buffer[..<end], as: UTF8.self)
            }
            guard fill() else { return nil }
        }
    }

    /// Takes the beginning of what comes next. Answers false when nothing does.
    mutating func begin() -> Bool { fill() }

    /// All that comes up to the end.
    mutating func rest() -> String {
        while fill() {}
        defer { close() }
        return String(decoding: buffer, as: UTF8.self)
    }

    mutating func close() {
        if descriptor >= 0 { Glibc.close(descriptor) }
        descriptor = -1
    }

    private mutating func fill() -> Bool {
        var state = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard descriptor >= 0, poll(&state, 1, Self.limit) > 0 else { return false }
        var chunk = [UInt8](repeating: 0, count: 65536)
        let count = read(descriptor, &chunk, chunk.count)
        guard count > 0 else { return false }
        buffer += chunk[..<count]
        return true
    }
}
