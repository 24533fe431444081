// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// Reads JSON (RFC 8259) from bytes that must stay valid as long as the parser exists.
package nonisolated struct JSONParser {
    static let maximumNumberLength = 512

    /// How many arrays and objects may be nested. The encoder has the same limit, if nothing else is said.
    package static let maximumDepth = 64

    let bytes: UnsafeBufferPointer<UInt8>
    /// The offset of the next byte.
    package internal(set) var offset = 0
    /// Whether white space was skipped, outside of strings.
    var hasSpace = false
    private var depth = 0
    /// Whether the bytes are known to be valid.
    private let isValid: Bool

    /// A parser of these bytes.
    package init(_ bytes: UnsafeBufferPointer<UInt8>) {
        self.bytes = bytes
        isValid = false
    }

    /// A parser of valid bytes: neither their nesting nor their names are checked again.
    init(valid bytes: UnsafeBufferPointer<UInt8>) {
        self.bytes = bytes
        isValid = true
    }

    /// The next byte, or nil at the end.
    var next: UInt8? { offset < bytes.count ? bytes[offset] : nil }

    /// The first byte of the next value, or nil when there is none.
    package var nextOfValue: UInt8? {
        mutating get {
            skipSpace()
            return next
        }
    }

    func failure(_ reason: JSONParseError.Reason) -> JSONParseError {
        JSONParseError(reason: reason, offset: offset)
    }

    /// The error for the next byte, which is not allowed here.
    func unexpected() -> JSONParseError {
        failure(next.map { .unexpectedByte($0) } ?? .unexpectedEnd)
    }

    mutating func skipSpace() {
        while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 {
            offset += 1
            hasSpace = true
        }
    }

    mutating func consume(_ byte: UInt8) -> Bool {
        guard next == byte else { return false }
        offset += 1
        return true
    }

    mutating func expect(_ byte: UInt8) throws(JSONParseError) {
        guard consume(byte) else { throw unexpected() }
    }

    private mutating func expect(_ word: StaticString) throws(JSONParseError) {
        for position in 0..<word.utf8CodeUnitCount { try expect(word.utf8Start[position]) }
    }

    /// Throws unless only white space follows.
    package mutating func end() throws(JSONParseError) {
        skipSpace()
        if offset < bytes.count { throw failure(.trailingBytes) }
    }

    /// The next value.
    package mutating func value() throws(JSONParseError) -> JSONValue {
        skipSpace()
        guard let next else { throw unexpected() }
        switch next {
        case UInt8(ascii: "{"): return .object(try object())
        case UInt8(ascii: "["): return .array(try array())
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try number()
        case UInt8(ascii: "t"):
            try expect("true")
            return .bool(true)
        case UInt8(ascii: "f"):
            try expect("false")
            return .bool(false)
        case UInt8(ascii: "n"):
            try expect("null")
            return .null
        default: throw unexpected()
        }
    }

    /// The next object, with its members parsed and the objects in them as text.
    package mutating func readObject() throws(JSONParseError) -> JSONObject {
        var read: [JSONObject.Member] = []
        read.reserveCapacity(4)
        try members { (key, parser) throws(JSONParseError) in
            let name = key.string
            read.append(JSONObject.Member(key: name, value: try parser.value()))
        }
        return JSONObject(read)
    }

    /// The next object, as text.
    private mutating func object() throws(JSONParseError) -> JSONObject {
        let hadSpace = hasSpace
        hasSpace = false
        defer { hasSpace = hasSpace || hadSpace }
        let text = UnsafeBufferPointer(rebasing: bytes[try skipValue()])
        return JSONObject(text: hasSpace ? Self.withoutSpace(text) : Array(text))
    }

    /// Reads the members of an object. `body` is called after the colon and reads the value. A name that comes twice is
    /// an error: two readers of the text could otherwise find different values.
    package mutating func members(
        _ body: (JSONKey, inout JSONParser) throws(JSONParseError) -> Void
    ) throws(JSONParseError) {
        skipSpace()
        try expect(UInt8(ascii: "{"))
        try enter()
        defer { depth -= 1 }
        skipSpace()
        if consume(UInt8(ascii: "}")) { return }
        var names = JSONNames()
        while true {
            skipSpace()
            let start = offset
            let key = try key()
            guard isValid || names.insert(key) else {
                throw JSONParseError(reason: .duplicateName, offset: start)
            }
            skipSpace()
            try expect(UInt8(ascii: ":"))
            try body(key, &self)
            skipSpace()
            if consume(UInt8(ascii: ",")) { continue }
            try expect(UInt8(ascii: "}"))
            return
        }
    }

    private mutating func array() throws(JSONParseError) -> [JSONValue] {
        var elements: [JSONValue] = []
        try self.elements { parser throws(JSONParseError) in elements.append(try parser.value()) }
        return elements
    }

    /// Reads the elements of an array with `body`.
    package mutating func elements(
        _ body: (inout JSONParser) throws(JSONParseError) -> Void
    ) throws(JSONParseError) {
        try expect(UInt8(ascii: "["))
        try enter()
        defer { depth -= 1 }
        skipSpace()
        if consume(UInt8(ascii: "]")) { return }
        while true {
            try body(&self)
            skipSpace()
            if consume(UInt8(ascii: ",")) { continue }
            try expect(UInt8(ascii: "]"))
            return
        }
    }

    private mutating func enter() throws(JSONParseError) {
        depth += 1
        if depth > Self.maximumDepth, !isValid { throw failure(.nestedTooDeeply) }
    }
}

nonisolated extension JSONParser {
    mutating func number() throws(JSONParseError) -> JSONValue {
        let start = offset
        let isNegative = consume(UInt8(ascii: "-"))
        var integer: Int64? = 0
        if !consume(UInt8(ascii: "0")) {
            try digits { digit in
                guard let value = integer else { return }
                let (product, overflow) = value.multipliedReportingOverflow(by: 10)
                let (sum, carry) = product.addingReportingOverflow(isNegative ? -digit : digit)
                integer = overflow || carry ? nil : sum
            }
        }
        var isInteger = true
        if consume(UInt8(ascii: ".")) {
            isInteger = false
            try digits { _ in }
        }
        if consume(UInt8(ascii: "e")) || consume(UInt8(ascii: "E")) {
            isInteger = false
            if !consume(UInt8(ascii: "+")) { _ = consume(UInt8(ascii: "-")) }
            try digits { _ in }
        }
        if isInteger, let integer, !(isNegative && integer == 0) { return .int(integer) }
        return .double(try double(from: start))
    }

    private func double(from start: Int) throws(JSONParseError) -> Double {
        guard offset - start <= Self.maximumNumberLength,
            let value = Double(String(decoding: bytes[start..<offset], as: UTF8.self)), value.isFinite
        else { throw JSONParseError(reason: .numberOutOfRange, offset: start) }
        return value
    }

    /// Reads one digit or more.
    private mutating func digits(_ body: (Int64) -> Void) throws(JSONParseError) {
        let start = offset
        while let byte = next, byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") {
            body(Int64(byte - UInt8(ascii: "0")))
            offset += 1
        }
        if offset == start { throw unexpected() }
    }
}

/// Why a JSON text is not valid, and where.
public nonisolated struct JSONParseError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What is wrong.
    public enum Reason: Sendable, Equatable {
        /// The text ends too early.
        case unexpectedEnd
        /// This byte is not allowed here.
        case unexpectedByte(UInt8)
        /// A control character must be escaped.
        case controlCharacterInString
        /// An escape is not valid.
        case invalidEscape
        /// A surrogate pair is not complete.
        case loneSurrogate
        /// An object has two members of this name.
        case duplicateName
        /// A string is not valid UTF-8.
        case invalidUTF8
        /// A number is too large for a double, or has too many characters.
        case numberOutOfRange
        /// Arrays and objects are nested too deeply.
        case nestedTooDeeply
        /// There are bytes after the value.
        case trailingBytes
    }

    /// What is wrong.
    public let reason: Reason

    /// The offset of the byte where it was detected. For invalid UTF-8 and for a name that comes twice, the beginning
    /// of the string.
    public let offset: Int

    /// A text for people.
    public var description: String {
        let what =
            switch reason {
            case .unexpectedEnd: "unexpected end"
            case .unexpectedByte(let byte): "unexpected byte 0x\(String(byte, radix: 16, uppercase: true))"
            case .controlCharacterInString: "control character in string"
            case .invalidEscape: "invalid escape"
            case .loneSurrogate: "lone surrogate"
            case .duplicateName: "second member of this name"
            case .invalidUTF8: "invalid UTF-8 in string"
            case .numberOutOfRange: "number out of range"
            case .nestedTooDeeply: "nested too deeply"
            case .trailingBytes: "trailing bytes"
            }
        return "\(what) at byte \(offset)"
    }
}
