// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// Writes values by key.
nonisolated struct JSONKeyedWriter<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let encoder: JSONNodeEncoder

    var codingPath: [any CodingKey] { encoder.codingPath }

    func encodeNil(forKey key: Key) throws { try place(key).put(.null, for: Any?.none as Any) }
    func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws { try place(key).encode(value) }
    func encode(_ value: Int128, forKey key: Key) throws { try place(key).encode(value) }
    func encode(_ value: UInt128, forKey key: Key) throws { try place(key).encode(value) }

    func nestedContainer<Nested: CodingKey>(
        keyedBy keyType: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> {
        sharedPlace(key).container(keyedBy: keyType)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { sharedPlace(key).unkeyedContainer() }
    func superEncoder() -> any Encoder { place(JSONCodingKey.parent) }
    func superEncoder(forKey key: Key) -> any Encoder { place(key) }

    private func place(_ key: any CodingKey) -> JSONNodeEncoder {
        encoder.at(key, encoder.node.addChild(forKey: key.stringValue))
    }

    /// A nested container asked for twice is one container.
    private func sharedPlace(_ key: Key) -> JSONNodeEncoder {
        encoder.node.child(forKey: key.stringValue).map { encoder.at(key, $0) } ?? place(key)
    }
}
