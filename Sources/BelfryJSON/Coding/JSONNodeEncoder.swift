// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// What a type is handed to encode itself with: one place and the way to it.
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

    /// Puts what stands for `original` into this place.
    func put(_ value: JSONValue, for original: Any) throws {
        guard node.set(value) else { throw error(original, "a value where another was encoded before") }
    }

    /// The same at the place `node`, which lies under `key`. The path of what is refused for its depth grows no more.
    func at(_ key: any CodingKey, _ node: JSONNode) -> Self {
        let path = codingPath.count > encoding.maximumDepth ? codingPath : codingPath + [key]
        return Self(encoding: encoding, node: node, codingPath: path)
    }

    /// This place made a container, or one that leads nowhere when it cannot become that, so that a chain of
    /// containers without end is never held.
    private func becoming(_ kind: String, _ change: (JSONNode) -> Bool) -> Self {
        if codingPath.count >= encoding.maximumDepth {
            encoding.note(tooDeep(kind))
        } else if change(node) {
            return self
        } else {
            encoding.note(error(kind, "\(kind) where something else was encoded before"))
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
