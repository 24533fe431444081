// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import Glibc

/// Text from outside, compared, hashed and ordered by its UTF-8 bytes.
///
/// `String` compares and hashes by canonical equivalence. That takes quadratic time for a long run of combining marks, and
/// makes two texts equal that are different bytes. Text that a stranger chose is therefore a key only in this form.
package nonisolated struct UTF8Text: Sendable, Hashable, Comparable {
    /// The text.
    package let string: String

    /// Wraps a text. It costs nothing.
    package init(_ string: String) { self.string = string }

    /// Whether both are the same bytes.
    package static func == (left: Self, right: Self) -> Bool { left.string.hasSameBytes(as: right.string) }

    /// Whether `left` comes first in the order of the bytes, which is that of the Unicode scalars.
    package static func < (left: Self, right: Self) -> Bool {
        left.string.utf8.lexicographicallyPrecedes(right.string.utf8)
    }

    /// Feeds the bytes.
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
    /// Whether both are the same UTF-8 bytes. Linear in their length, unlike `==`.
    package func hasSameBytes(as other: String) -> Bool {
        guard utf8.count == other.utf8.count else { return false }
        var (left, right) = (self, other)
        return left.withUTF8 { left in
            right.withUTF8 { right in
                guard let first = left.baseAddress, let second = right.baseAddress else { return true }
                return memcmp(first, second, left.count) == 0
            }
        }
    }

    /// The beginning of the text, of at most `limit` UTF-8 bytes, with an ellipsis where something was cut off.
    package func cut(toBytes limit: Int) -> String {
        guard utf8.count > limit else { return self }
        var end = utf8.index(startIndex, offsetBy: max(limit, 0))
        while end > startIndex, end.samePosition(in: unicodeScalars) == nil { end = utf8.index(before: end) }
        return String(unicodeScalars[..<end]) + "…"
    }
}
