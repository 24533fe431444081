// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// Looks at a text without making anything of it. It throws what reading it would.
nonisolated extension JSONParser {
    /// Passes over a value, and answers its bytes.
    package mutating func skipValue() throws(JSONParseError) -> Range<Int> {
        skipSpace()
        let start = offset
        switch next {
        case UInt8(ascii: "{"):
            try members { (_, parser) throws(JSONParseError) in _ = try parser.skipValue() }
        case UInt8(ascii: "["):
            try elements { parser throws(JSONParseError) in _ = try parser.skipValue() }
        case UInt8(ascii: "\""): _ = try key()
        default: _ = try value()
        }
        return start..<offset
    }

    /// Reads a string that need not become one.
    package mutating func key() throws(JSONParseError) -> JSONKey {
        guard take(UInt8(ascii: "\"")) else { throw unexpected() }
        let start = offset
        let (end, isASCII) = plainEnd()
        guard isASCII, end < bytes.count, bytes[end] == UInt8(ascii: "\"") else {
            offset = start - 1
            return .decoded(try string())
        }
        offset = end + 1
        return .plain(UnsafeBufferPointer(rebasing: bytes[start..<end]))
    }
}
