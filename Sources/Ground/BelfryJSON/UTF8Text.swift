// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// Text from outside that is compared, hashed and ordered by its UTF-8 bytes.
///
/// `String` compares and hashes by canonical equivalence. This takes quadratic time for a long run of combining marks,
/// and treats different bytes as equal. Text that clients choose is therefore a dictionary key only in this form.
package nonisolated struct UTF8Text: Sendable, Hashable, Comparable {
    /// The text.
    package let string: String

    /// Wraps a text without cost.
    package init(_ string: String) { self.string = string }

    /// Whether both are the same bytes.
    package static func == (left: Self, right: Self) -> Bool { left.string.hasSameBytes(as: right.string) }

    /// Whether `left` comes first in the order of the bytes, which is that of the Unicode scalars.
    package static func < (left: Self, right: Self) -> Bool {
        left.string.utf8.lexicographicallyPrecedes(right.string.utf8)
    }

    /// Hashes the bytes.
    package func hash(into hasher: inout Hasher) {
        var string = string
        string.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}

nonisolated extension UTF8Text: ExpressibleByStringLiteral, CustomStringConvertible {
    /// The text that is written in code.
    package init(stringLiteral value: String) { string = value }

    /// The text.
    package var description: String { string }
}

nonisolated extension String {
    /// Whether both have the same UTF-8 bytes. Linear in their length, unlike `==`.
    package func hasSameBytes(as other: String) -> Bool {
        guard utf8.count == other.utf8.count else { return false }
        var (left, right) = (self, other)
        return left.withUTF8 { left in right.withUTF8 { right in left.hasSameBytes(as: right) } }
    }

    /// The longest beginning of at most this many bytes of UTF-8 that ends after a whole Unicode scalar.
    package func prefix(bytes limit: Int) -> Substring {
        guard utf8.count > limit else { return self[...] }
        var end = utf8.index(startIndex, offsetBy: limit)
        while end > startIndex, utf8[end] & 0xC0 == 0x80 { utf8.formIndex(before: &end) }
        return self[..<end]
    }

    /// The beginning of the text, of at most `limit` UTF-8 bytes, with an ellipsis where something was cut off.
    package func cut(toBytes limit: Int) -> String {
        utf8.count > limit ? prefix(bytes: max(limit, 0)) + "…" : self
    }
}

nonisolated extension UnsafeBufferPointer<UInt8> {
    /// Whether both have the same bytes, compared eight at a time.
    func hasSameBytes(as other: Self) -> Bool {
        guard count == other.count else { return false }
        let (left, right) = (UnsafeRawBufferPointer(self), UnsafeRawBufferPointer(other))
        var place = 0
        while count - place >= 8 {
            guard
                left.loadUnaligned(fromByteOffset: place, as: UInt64.self)
                    == right.loadUnaligned(fromByteOffset: place, as: UInt64.self)
            else { return false }
            place += 8
        }
        while place < count {
            guard left[place] == right[place] else { return false }
            place += 1
        }
        return true
    }
}
