// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// Base64 as in RFC 4648.
package nonisolated enum Base64 {
    /// The bytes; nil for invalid Base64. Padding is required, white space is ignored.
    package static func decode(_ text: String) -> [UInt8]? {
        var bytes: [UInt8] = []
        var bits: UInt32 = 0
        var digits = 0
        var padding = 0
        for character in text.utf8 where ![0x20, 0x09, 0x0a, 0x0d].contains(character) {
            digits += 1
            bits <<= 6
            if character == UInt8(ascii: "=") {
                padding += 1
            } else {
                guard padding == 0, let value = value(of: character) else { return nil }
                bits |= value
            }
            guard digits.isMultiple(of: 4) else { continue }
            guard padding <= 2 else { return nil }
            bytes += [16, 8, 0].prefix(3 - padding).map { UInt8(truncatingIfNeeded: bits >> $0) }
            bits = 0
        }
        return digits.isMultiple(of: 4) && padding <= 2 ? bytes : nil
    }

    private static func value(of character: UInt8) -> UInt32? {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(character) - 65
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(character) - 97 + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(character) - 48 + 52
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }
}
