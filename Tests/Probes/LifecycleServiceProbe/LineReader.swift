// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Glibc

/// Splits a stream into lines, as they come.
struct LineReader {
    private let descriptor: Int32
    private var rest: [UInt8] = []
    private(set) var isAtEnd = false

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    /// The lines that one read brings.
    mutating func lines() -> [String] {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = read(descriptor, &buffer, buffer.count)
        isAtEnd = count <= 0
        if count > 0 { rest += buffer[..<count] }
        var lines: [String] = []
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            lines.append(String(decoding: rest[..<end], as: UTF8.self))
            rest.removeSubrange(...end)
        }
        return lines
    }
}
