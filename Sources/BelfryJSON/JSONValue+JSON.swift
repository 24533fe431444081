// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

nonisolated extension JSONValue: CustomStringConvertible {
    /// Reads one JSON text (RFC 8259) in UTF-8 with nothing but white space around it.
    ///
    /// Of members with the same name the last one wins. Integers that do not fit 64 bits become doubles. Nesting ends
    /// at 64 levels, a number at 512 characters.
    ///
    /// - Throws: what is wrong, and at which byte.
    public init(json: some Sequence<UInt8>) throws(JSONParseError) {
        let copy = ContiguousArray(json)
        self = try copy.withUnsafeBufferPointer { bytes throws(JSONParseError) in
            try JSONValue(json: bytes)
        }
    }

    /// Reads one JSON text without copying it.
    ///
    /// - Throws: what is wrong, and at which byte.
    public init(json bytes: UnsafeBufferPointer<UInt8>) throws(JSONParseError) {
        try self.init(json: bytes, maximumDepth: 64)
    }

    /// Reads one JSON text with at most `maximumDepth` arrays and objects within each other.
    ///
    /// - Throws: what is wrong, and at which byte.
    package init(json bytes: UnsafeBufferPointer<UInt8>, maximumDepth: Int) throws(JSONParseError) {
        var parser = JSONParser(bytes, maximumDepth: maximumDepth)
        self = try parser.value()
        try parser.end()
    }

    /// The value as compact JSON in UTF-8. Doubles that JSON cannot express become `null`.
    public var json: [UInt8] {
        var writer = JSONWriter()
        writer.write(self)
        return Array(writer.bytes)
    }

    /// The value as compact JSON.
    public var description: String { String(decoding: json, as: UTF8.self) }
}
