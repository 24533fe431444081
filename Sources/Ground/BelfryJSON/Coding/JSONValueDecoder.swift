// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// Decodes values from `JSONValue`, without Foundation: the counterpart of `JSONValueEncoder`.
///
/// A number must fit the type: an integer is never truncated, a `double` never becomes an integer, and an `int` becomes
/// a `Double` only if that is exact. Errors have the whole coding path.
public nonisolated struct JSONValueDecoder: Sendable {
    /// Makes a decoder.
    public init() {}

    /// Decodes a value of `type`.
    ///
    /// - Throws: `DecodingError`, or what the type's own `init(from:)` throws.
    public func decode<Value: Decodable>(_ type: Value.Type, from value: JSONValue) throws -> Value {
        try JSONPlaceDecoder(value: value, codingPath: []).decode(type)
    }
}

/// The decoder that a type decodes itself from: one value and its coding path.
nonisolated struct JSONPlaceDecoder: Decoder, SingleValueDecodingContainer {
    let value: JSONValue
    let codingPath: [any CodingKey]

    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard case .object(let object) = value else { throw mismatch(JSONObject.self, "an object") }
        return KeyedDecodingContainer(JSONKeyedReader(object: object, codingPath: codingPath))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard case .array(let elements) = value else { throw mismatch([JSONValue].self, "an array") }
        return JSONUnkeyedReader(elements: elements, codingPath: codingPath)
    }

    func singleValueContainer() -> any SingleValueDecodingContainer { self }

    func decodeNil() -> Bool { value == .null }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        guard let scalar = type as? any JSONScalar.Type else { return try type.init(from: self) }
        guard let converted = try convert(scalar) as? Value else { throw mismatch(type, "\(type)") }
        return converted
    }

    private func convert<Scalar: JSONScalar>(_ type: Scalar.Type) throws -> Scalar {
        do {
            return try type.converted(from: value)
        } catch .otherKind {
            throw mismatch(type, "\(type)")
        } catch .outOfRange(let number) {
            throw DecodingError.dataCorrupted(context("\(number) does not fit \(type)"))
        }
    }

    private func mismatch(_ type: Any.Type, _ expected: String) -> DecodingError {
        let context = context("expected \(expected), found \(value.kind)")
        return value == .null ? .valueNotFound(type, context) : .typeMismatch(type, context)
    }

    private func context(_ reason: String) -> DecodingError.Context {
        DecodingError.Context(codingPath: codingPath, debugDescription: reason)
    }
}

nonisolated extension JSONValue {
    /// The kind of the value, for errors.
    fileprivate var kind: String {
        switch self {
        case .null: "null"
        case .bool: "a boolean"
        case .int: "an integer"
        case .double: "a floating-point number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }
}

/// Reads values by key.
nonisolated struct JSONKeyedReader<Key: CodingKey>: KeyedDecodingContainerProtocol {
    private let values: [UTF8Text: JSONValue]
    /// The names, in order.
    private let names: [String]
    let codingPath: [any CodingKey]

    init(object: JSONObject, codingPath: [any CodingKey]) {
        values = Dictionary(object.map { (UTF8Text($0.key), $0.value) }) { _, last in last }
        names = object.keys
        self.codingPath = codingPath
    }

    var allKeys: [Key] { names.compactMap { Key(stringValue: $0) } }

    func contains(_ key: Key) -> Bool { values[UTF8Text(key.stringValue)] != nil }
    func decodeNil(forKey key: Key) throws -> Bool { try place(key).decodeNil() }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        try place(key).decode(type)
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        try place(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try place(key).unkeyedContainer()
    }

    func superDecoder() -> any Decoder { parent(JSONCodingKey.parent) }
    func superDecoder(forKey key: Key) -> any Decoder { parent(key) }

    private func place(_ key: Key) throws -> JSONPlaceDecoder {
        guard let value = values[UTF8Text(key.stringValue)] else {
            let reason = "no value for the key '\(key.stringValue)'"
            throw DecodingError.keyNotFound(key, .init(codingPath: codingPath, debugDescription: reason))
        }
        return JSONPlaceDecoder(value: value, codingPath: codingPath + [key])
    }

    /// For a superclass without a part of its own this is `null`, which the superclass may accept.
    private func parent(_ key: any CodingKey) -> any Decoder {
        JSONPlaceDecoder(value: values[UTF8Text(key.stringValue)] ?? .null, codingPath: codingPath + [key])
    }
}

/// Reads values one after the other. An element that could not be decoded stays the next one.
nonisolated struct JSONUnkeyedReader: UnkeyedDecodingContainer {
    let elements: [JSONValue]
    let codingPath: [any CodingKey]
    private(set) var currentIndex = 0

    var count: Int? { elements.count }
    var isAtEnd: Bool { currentIndex >= elements.count }

    mutating func decodeNil() throws -> Bool {
        guard try next(Any?.self).decodeNil() else { return false }
        currentIndex += 1
        return true
    }

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try element(type) { try $0.decode(type) }
    }

    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type
    ) throws -> KeyedDecodingContainer<Nested> {
        try element(JSONObject.self) { try $0.container(keyedBy: type) }
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try element([JSONValue].self) { try $0.unkeyedContainer() }
    }

    mutating func superDecoder() throws -> any Decoder { try element((any Decoder).self) { $0 } }

    private mutating func element<Decoded>(
        _ type: Any.Type, _ body: (JSONPlaceDecoder) throws -> Decoded
    ) throws -> Decoded {
        let decoded = try body(next(type))
        currentIndex += 1
        return decoded
    }

    private func next(_ type: Any.Type) throws -> JSONPlaceDecoder {
        let path = codingPath + [JSONCodingKey(intValue: currentIndex)]
        guard !isAtEnd else {
            let reason = "the array has only \(elements.count) elements"
            throw DecodingError.valueNotFound(type, .init(codingPath: path, debugDescription: reason))
        }
        return JSONPlaceDecoder(value: elements[currentIndex], codingPath: path)
    }
}
