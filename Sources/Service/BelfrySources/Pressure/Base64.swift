// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// Base64 as in RFC 4648.
package nonisolated enum Base64 {
    private static let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    /// The bytes; nil for invalid Base64. Padding is required, white space is ignored.
    package static func decode(_ text: String) -> [UInt8]? {
        var bytes: [UInt8] = []
        var bits: UInt32 = 0
        var (count, padding) = (0, 0)
        for character in text.utf8 where ![0x20, 0x09, 0x0a, 0x0d].contains(character) {
            count += 1
            bits <<= 6
            if character == UInt8(ascii: "=") {
                padding += 1
            } else {
                guard padding == 0, let value = digits.firstIndex(of: character) else { return nil }
                bits |= UInt32(value)
            }
            guard count.isMultiple(of: 4) else { continue }
            guard padding <= 2 else { return nil }
            bytes += [16, 8, 0].prefix(3 - padding).map { UInt8(truncatingIfNeeded: bits >> $0) }
            bits = 0
        }
        return count.isMultiple(of: 4) && padding <= 2 ? bytes : nil
    }
}
