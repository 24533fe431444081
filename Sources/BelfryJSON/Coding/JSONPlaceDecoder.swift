// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// What a type is handed to decode itself from: one value and the way to it.
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
        guard let taken = try take(scalar) as? Value else { throw mismatch(type, "\(type)") }
        return taken
    }

    func decode(_ type: Int128.Type) throws -> Int128 { try take(type) }
    func decode(_ type: UInt128.Type) throws -> UInt128 { try take(type) }

    private func take<Scalar: JSONScalar>(_ type: Scalar.Type) throws -> Scalar {
        do {
            return try type.taken(from: value)
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
    /// What it is, as an error says it.
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
