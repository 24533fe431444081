// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

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

    func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 { try place(key).decode(type) }
    func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 { try place(key).decode(type) }

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

    /// A superclass without a part of its own is left to say itself that it needs one.
    private func parent(_ key: any CodingKey) -> any Decoder {
        JSONPlaceDecoder(value: values[UTF8Text(key.stringValue)] ?? .null, codingPath: codingPath + [key])
    }
}
