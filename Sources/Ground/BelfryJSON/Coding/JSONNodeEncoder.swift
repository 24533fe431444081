// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// The encoder that a type encodes itself with: one place and its coding path.
nonisolated struct JSONNodeEncoder: Encoder {
    let encoding: JSONEncoding
    let node: JSONNode
    let codingPath: [any CodingKey]

    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(JSONKeyedWriter(encoder: becoming("a keyed container") { $0.becomeObject() }))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        JSONUnkeyedWriter(encoder: becoming("an unkeyed container") { $0.becomeArray() })
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { JSONSingleWriter(encoder: self) }

    /// Encodes a value into this place.
    func encode<Value: Encodable>(_ value: Value) throws {
        if let scalar = value as? any JSONScalar {
            let scalar = scalar.jsonValue
            // JSON has no infinities and no NaN (RFC 8259, section 6).
            if case .double(let number) = scalar, !number.isFinite { throw error(value, "\(number) is no JSON number") }
            try put(scalar, for: value)
        } else if codingPath.count > encoding.maximumDepth {
            throw tooDeep(value)
        } else {
            try value.encode(to: self)
        }
    }

    /// Stores the value that stands for `original` in this place.
    func put(_ value: JSONValue, for original: Any) throws {
        guard node.set(value) else { throw error(original, "a value where another was encoded before") }
    }

    /// The encoder for the place `node` under `key`. Beyond the depth limit the path does not grow any more.
    func at(_ key: any CodingKey, _ node: JSONNode) -> Self {
        let path = codingPath.count > encoding.maximumDepth ? codingPath : codingPath + [key]
        return Self(encoding: encoding, node: node, codingPath: path)
    }

    /// This place as a container. If it cannot become one, a node that is discarded, so that an endless chain of
    /// containers takes no memory.
    private func becoming(_ kind: String, _ change: (JSONNode) -> Bool) -> Self {
        if codingPath.count >= encoding.maximumDepth {
            encoding.fail(tooDeep(kind))
        } else if change(node) {
            return self
        } else {
            encoding.fail(error(kind, "\(kind) where something else was encoded before"))
        }
        let nowhere = JSONNode()
        _ = change(nowhere)
        return Self(encoding: encoding, node: nowhere, codingPath: codingPath)
    }

    private func tooDeep(_ value: Any) -> EncodingError {
        error(value, "nested deeper than \(encoding.maximumDepth) levels")
    }

    private func error(_ value: Any, _ reason: String) -> EncodingError {
        .invalidValue(value, EncodingError.Context(codingPath: codingPath, debugDescription: reason))
    }
}

/// Writes values by key.
nonisolated struct JSONKeyedWriter<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let encoder: JSONNodeEncoder

    var codingPath: [any CodingKey] { encoder.codingPath }

    func encodeNil(forKey key: Key) throws { try place(key).put(.null, for: Any?.none as Any) }
    func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws { try place(key).encode(value) }

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

/// Writes values one after the other.
nonisolated struct JSONUnkeyedWriter: UnkeyedEncodingContainer {
    let encoder: JSONNodeEncoder

    var codingPath: [any CodingKey] { encoder.codingPath }
    var count: Int { encoder.node.count }

    func encodeNil() throws { try next().put(.null, for: Any?.none as Any) }
    func encode<Value: Encodable>(_ value: Value) throws { try next().encode(value) }

    func nestedContainer<Nested: CodingKey>(keyedBy keyType: Nested.Type) -> KeyedEncodingContainer<Nested> {
        next().container(keyedBy: keyType)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { next().unkeyedContainer() }
    func superEncoder() -> any Encoder { next() }

    private func next() -> JSONNodeEncoder {
        encoder.at(JSONCodingKey(intValue: count), encoder.node.appendChild())
    }
}

/// Writes one value, once.
nonisolated struct JSONSingleWriter: SingleValueEncodingContainer {
    let encoder: JSONNodeEncoder

    var codingPath: [any CodingKey] { encoder.codingPath }

    func encodeNil() throws { try encoder.put(.null, for: Any?.none as Any) }
    func encode<Value: Encodable>(_ value: Value) throws { try encoder.encode(value) }
}
