// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// Validates a text without making values. It throws what reading the values would.
nonisolated extension JSONParser {
    /// Skips a value, and returns the range of its bytes.
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

    /// Reads the name of a member, without making a string if possible.
    package mutating func key() throws(JSONParseError) -> JSONKey {
        guard consume(UInt8(ascii: "\"")) else { throw unexpected() }
        let start = offset
        let (end, isASCII) = plainEnd()
        guard isASCII, end < bytes.count, bytes[end] == UInt8(ascii: "\"") else {
            offset = start - 1
            return .decoded(try string())
        }
        offset = end + 1
        return .plain(UnsafeBufferPointer(rebasing: bytes[start..<end]))
    }

    /// A valid text without the white space between its parts.
    static func withoutSpace(_ text: UnsafeBufferPointer<UInt8>) -> [UInt8] {
        var kept: [UInt8] = []
        kept.reserveCapacity(text.count)
        var isInString = false
        var isEscaped = false
        for byte in text {
            switch byte {
            case 0...0x20 where !isInString: continue
            case UInt8(ascii: "\"") where !isEscaped: isInString.toggle()
            default: break
            }
            isEscaped = isInString && !isEscaped && byte == UInt8(ascii: "\\")
            kept.append(byte)
        }
        return kept
    }
}

/// The name of a member while its object is being read. Most names are compared in place, without making a string.
package nonisolated enum JSONKey {
    /// The bytes between the quotation marks, without escapes.
    case plain(UnsafeBufferPointer<UInt8>)
    /// A name that has escapes, or is not ASCII.
    case decoded(String)

    /// The name.
    package var string: String {
        switch self {
        case .plain(let bytes): String(decoding: bytes, as: UTF8.self)
        case .decoded(let text): text
        }
    }

    /// Whether it has the same bytes.
    package func isSame(as name: String) -> Bool {
        switch self {
        case .plain(let bytes):
            var name = name
            return name.withUTF8 { $0.hasSameBytes(as: bytes) }
        case .decoded(let text): return text.hasSameBytes(as: name)
        }
    }

    fileprivate func isSame(as name: UnsafeBufferPointer<UInt8>) -> Bool {
        switch self {
        case .plain(let bytes): bytes.hasSameBytes(as: name)
        case .decoded(let text): text.utf8.elementsEqual(name)
        }
    }

    /// Matches names in a `switch`.
    package static func ~= (name: StaticString, key: JSONKey) -> Bool {
        switch key {
        case .plain(let bytes):
            return UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount).hasSameBytes(as: bytes)
        case .decoded(let text): return text.hasSameBytes(as: name.description)
        }
    }
}

/// The names of an object that is being read.
nonisolated struct JSONNames {
    /// The first ones, which are compared one by one without allocating memory.
    private var first = InlineArray<8, UnsafeBufferPointer<UInt8>>(repeating: UnsafeBufferPointer(start: nil, count: 0))
    private var firstCount = 0
    /// Those after the first eight, and after one that had to be decoded.
    private var others: Set<UTF8Text> = []

    /// Adds a name; false if it is there already.
    mutating func insert(_ key: JSONKey) -> Bool {
        for place in 0..<firstCount where key.isSame(as: first[place]) { return false }
        guard case .plain(let bytes) = key, firstCount < first.count, others.isEmpty else {
            return others.insert(UTF8Text(key.string)).inserted
        }
        first[firstCount] = bytes
        firstCount += 1
        return true
    }
}
