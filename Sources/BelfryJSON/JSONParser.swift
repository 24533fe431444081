// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// Reads JSON (RFC 8259) from bytes that stay where they are for as long as the parser lives.
package nonisolated struct JSONParser {
    static let maximumNumberLength = 512

    let bytes: UnsafeBufferPointer<UInt8>
    /// The place of the byte that is next.
    package internal(set) var offset = 0
    /// Whether white space was passed over, outside of strings.
    var hasSpace = false
    private let maximumDepth: Int
    private var depth = 0

    /// A parser of these bytes, with at most `maximumDepth` arrays and objects within each other.
    package init(_ bytes: UnsafeBufferPointer<UInt8>, maximumDepth: Int = 64) {
        self.bytes = bytes
        self.maximumDepth = maximumDepth
    }

    /// The next byte, or nil at the end.
    @inline(__always)
    var next: UInt8? { offset < bytes.count ? bytes[offset] : nil }

    /// The first byte of the value that is next, or nil when there is none.
    package var nextOfValue: UInt8? {
        mutating get {
            skipSpace()
            return next
        }
    }

    func failure(_ reason: JSONParseError.Reason) -> JSONParseError {
        JSONParseError(reason: reason, offset: offset)
    }

    /// What to say of the next byte, which does not belong here.
    func unexpected() -> JSONParseError {
        failure(next.map { .unexpectedByte($0) } ?? .unexpectedEnd)
    }

    @inline(__always)
    mutating func skipSpace() {
        while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 {
            offset += 1
            hasSpace = true
        }
    }

    @inline(__always)
    mutating func take(_ byte: UInt8) -> Bool {
        guard next == byte else { return false }
        offset += 1
        return true
    }

    @inline(__always)
    mutating func expect(_ text: StaticString) throws(JSONParseError) {
        for position in 0..<text.utf8CodeUnitCount where !take(text.utf8Start[position]) { throw unexpected() }
    }

    /// Nothing but white space may follow.
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

    /// The object that is next, with its members read and the objects in them as text.
    package mutating func readObject() throws(JSONParseError) -> JSONObject {
        var read: [JSONObject.Member] = []
        read.reserveCapacity(4)
        try members { (key, parser) throws(JSONParseError) in
            let name = key.string
            read.append(JSONObject.Member(key: name, value: try parser.value()))
        }
        return JSONObject(read)
    }

    /// The object that is next, as text.
    private mutating func object() throws(JSONParseError) -> JSONObject {
        let hadSpace = hasSpace
        hasSpace = false
        defer { hasSpace = hasSpace || hadSpace }
        let text = UnsafeBufferPointer(rebasing: bytes[try skipValue()])
        return JSONObject(text: hasSpace ? Self.withoutSpace(text) : Array(text))
    }

    /// Walks over the members of an object. `body` is called after the colon and reads the value.
    @inline(__always)
    package mutating func members(
        _ body: (JSONKey, inout JSONParser) throws(JSONParseError) -> Void
    ) throws(JSONParseError) {
        skipSpace()
        try expect("{")
        try enter()
        defer { depth -= 1 }
        skipSpace()
        if take(UInt8(ascii: "}")) { return }
        while true {
            skipSpace()
            let key = try key()
            skipSpace()
            try expect(":")
            try body(key, &self)
            skipSpace()
            if take(UInt8(ascii: ",")) { continue }
            try expect("}")
            return
        }
    }

    private mutating func array() throws(JSONParseError) -> [JSONValue] {
        var elements: [JSONValue] = []
        try self.elements { parser throws(JSONParseError) in elements.append(try parser.value()) }
        return elements
    }

    /// Walks over the elements of an array, which `body` reads.
    package mutating func elements(
        _ body: (inout JSONParser) throws(JSONParseError) -> Void
    ) throws(JSONParseError) {
        try expect("[")
        try enter()
        defer { depth -= 1 }
        skipSpace()
        if take(UInt8(ascii: "]")) { return }
        while true {
            try body(&self)
            skipSpace()
            if take(UInt8(ascii: ",")) { continue }
            try expect("]")
            return
        }
    }

    private mutating func enter() throws(JSONParseError) {
        depth += 1
        if depth > maximumDepth { throw failure(.nestedTooDeeply) }
    }
}
