// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// Looks through text eight bytes at a time.
nonisolated enum PlainText {
    /// How many bytes come before the first that a JSON string cannot hold as it is (RFC 8259, section 7): a quotation
    /// mark, a backslash or a control character; and whether all of them are ASCII.
    static func length(of bytes: UnsafeBufferPointer<UInt8>) -> (length: Int, isASCII: Bool) {
        let raw = UnsafeRawBufferPointer(bytes)
        var place = 0
        var seen: UInt64 = 0
        while raw.count - place >= 8 {
            // The first byte of the text is the lowest byte of the word.
            let word = UInt64(littleEndian: raw.loadUnaligned(fromByteOffset: place, as: UInt64.self))
            let found = specials(in: word)
            guard found == 0 else {
                let bits = found.trailingZeroBitCount & ~7
                seen |= word & ((1 << bits) - 1)
                return (place + bits / 8, seen & highBits == 0)
            }
            seen |= word
            place += 8
        }
        while place < raw.count, isPlain(raw[place]) {
            seen |= UInt64(raw[place])
            place += 1
        }
        return (place, seen & highBits == 0)
    }

    /// The high bit of each byte that is special. Bytes after the first of them may be marked wrongly, since the
    /// subtractions borrow from them.
    private static func specials(in word: UInt64) -> UInt64 {
        let quotes = word ^ 0x2222_2222_2222_2222
        let backslashes = word ^ 0x5C5C_5C5C_5C5C_5C5C
        let controls = (word &- 0x2020_2020_2020_2020) & ~word
        return (controls | (quotes &- ones) & ~quotes | (backslashes &- ones) & ~backslashes) & highBits
    }

    private static var ones: UInt64 { 0x0101_0101_0101_0101 }
    private static var highBits: UInt64 { 0x8080_8080_8080_8080 }

    private static func isPlain(_ byte: UInt8) -> Bool {
        byte >= 0x20 && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
    }
}
