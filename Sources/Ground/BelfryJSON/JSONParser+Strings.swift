// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

nonisolated extension JSONParser {
    /// The end of the string that begins here, or of its part before the first byte that cannot be copied as it is, and
    /// whether that part is ASCII.
    func plainEnd() -> (end: Int, isASCII: Bool) {
        let (length, isASCII) = PlainText.length(of: UnsafeBufferPointer(rebasing: bytes[offset...]))
        return (offset + length, isASCII)
    }

    mutating func string() throws(JSONParseError) -> String {
        try expect(UInt8(ascii: "\""))
        let start = offset
        let (end, isASCII) = plainEnd()
        offset = end
        switch next {
        case UInt8(ascii: "\""):
            let text = try text(UnsafeBufferPointer(rebasing: bytes[start..<end]), isASCII, from: start)
            offset += 1
            return text
        case UInt8(ascii: "\\"): return try escapedString(from: start)
        case nil: throw failure(.unexpectedEnd)
        default: throw failure(.controlCharacterInString)
        }
    }

    /// Reads the rest of a string that began at `start` and has its first escape here.
    private mutating func escapedString(from start: Int) throws(JSONParseError) -> String {
        var decoded = Array(bytes[start..<offset])
        while let byte = next {
            switch byte {
            case UInt8(ascii: "\""):
                let text = try decoded.withUnsafeBufferPointer { bytes throws(JSONParseError) -> String in
                    try self.text(bytes, false, from: start)
                }
                offset += 1
                return text
            case UInt8(ascii: "\\"): decoded.append(contentsOf: UTF8.encode(try escape()).map { Array($0) } ?? [])
            case 0..<0x20: throw failure(.controlCharacterInString)
            default:
                decoded.append(byte)
                offset += 1
            }
        }
        throw failure(.unexpectedEnd)
    }

    private func text(
        _ bytes: UnsafeBufferPointer<UInt8>, _ isASCII: Bool, from start: Int
    ) throws(JSONParseError) -> String {
        // ASCII, the usual case, is valid UTF-8 and can be copied.
        if isASCII {
            return String(unsafeUninitializedCapacity: bytes.count) { $0.initialize(fromContentsOf: bytes) }
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw JSONParseError(reason: .invalidUTF8, offset: start)
        }
        return text
    }

    private mutating func escape() throws(JSONParseError) -> Unicode.Scalar {
        offset += 1
        guard let kind = next else { throw failure(.unexpectedEnd) }
        let scalar: Unicode.Scalar
        switch kind {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): scalar = Unicode.Scalar(kind)
        case UInt8(ascii: "b"): scalar = "\u{8}"
        case UInt8(ascii: "f"): scalar = "\u{C}"
        case UInt8(ascii: "n"): scalar = "\n"
        case UInt8(ascii: "r"): scalar = "\r"
        case UInt8(ascii: "t"): scalar = "\t"
        case UInt8(ascii: "u"): return try unicodeEscape()
        default: throw failure(.invalidEscape)
        }
        offset += 1
        return scalar
    }

    private mutating func unicodeEscape() throws(JSONParseError) -> Unicode.Scalar {
        let first = try fourDigits()
        if let scalar = Unicode.Scalar(first) { return scalar }
        guard UTF16.isLeadSurrogate(first), consume(UInt8(ascii: "\\")), next == UInt8(ascii: "u") else {
            throw failure(.loneSurrogate)
        }
        let second = try fourDigits()
        guard UTF16.isTrailSurrogate(second) else { throw failure(.loneSurrogate) }
        return UTF16.decode(UTF16.EncodedScalar([first, second]))
    }

    /// Reads `u` and the four digits after it.
    private mutating func fourDigits() throws(JSONParseError) -> UInt16 {
        offset += 1
        var value: UInt16 = 0
        for _ in 0..<4 {
            guard let byte = next else { throw failure(.unexpectedEnd) }
            guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue else { throw failure(.invalidEscape) }
            value = value << 4 | UInt16(digit)
            offset += 1
        }
        return value
    }
}
