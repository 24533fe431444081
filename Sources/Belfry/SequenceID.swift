// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// What tells a counter of notifications from others: 128 random bits, 32 hexadecimal digits as text.
enum SequenceID {
    static var random: (UInt64, UInt64) { (.random(in: 1...(.max)), .random(in: 1...(.max))) }

    static func text(_ id: (UInt64, UInt64)) -> String { digits(id.0) + digits(id.1) }

    private static func digits(_ word: UInt64) -> String {
        let digits = String(word, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
