// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// Encodes values into `JSONValue`, without Foundation.
///
/// Integers become `int`, those beyond `Int64` a string of their digits; `Float` and `Double` become `double`, and
/// infinities and NaN, which JSON does not have, are refused; nil becomes `null`. A type that writes two kinds of
/// container or two single values into one place causes an error.
public nonisolated struct JSONValueEncoder: Sendable {
    /// How many containers may be nested.
    package let maximumDepth: Int

    /// Makes an encoder. A value that nests deeper than 64 levels is refused, also if it is endless.
    public init() { self.init(maximumDepth: JSONParser.maximumDepth) }

    /// An encoder with another limit.
    package init(maximumDepth: Int) { self.maximumDepth = maximumDepth }

    /// Encodes a value.
    ///
    /// - Throws: `EncodingError`, or what the value's own `encode(to:)` throws.
    public func encode<Value: Encodable>(_ value: Value) throws -> JSONValue {
        let encoding = JSONEncoding(maximumDepth: maximumDepth)
        let node = JSONNode()
        try JSONNodeEncoder(encoding: encoding, node: node, codingPath: []).encode(value)
        if let failure = encoding.failure { throw failure }
        return node.value
    }
}

/// One run of an encoder. `Encoder.container` cannot throw, so its errors are stored here until the end.
nonisolated final class JSONEncoding {
    let maximumDepth: Int
    private(set) var failure: EncodingError?

    init(maximumDepth: Int) { self.maximumDepth = maximumDepth }

    func fail(_ failure: EncodingError) { self.failure = self.failure ?? failure }
}

/// A place that a value is being encoded into. All containers of the place share it.
nonisolated final class JSONNode {
    private enum Content {
        case empty
        case value(JSONValue)
        case array([JSONNode])
        case object([(key: String, node: JSONNode)], places: [UTF8Text: Int])
    }

    private var content = Content.empty

    /// What was encoded. A type that encodes nothing becomes an empty object.
    var value: JSONValue {
        switch content {
        case .empty: .object([:])
        case .value(let value): value
        case .array(let nodes): .array(nodes.map(\.value))
        case .object(let nodes, _): .object(JSONObject(nodes.map { ($0.key, $0.node.value) }))
        }
    }

    /// How many elements it has as an array.
    var count: Int { if case .array(let nodes) = content { nodes.count } else { 0 } }

    /// Whether this is a place for keyed values now.
    func becomeObject() -> Bool {
        switch content {
        case .empty: content = .object([], places: [:])
        case .object: break
        case .value, .array: return false
        }
        return true
    }

    /// Whether this is a place for elements now.
    func becomeArray() -> Bool {
        switch content {
        case .empty: content = .array([])
        case .array: break
        case .value, .object: return false
        }
        return true
    }

    /// Stores `value`. Returns false if something was stored before.
    func set(_ value: JSONValue) -> Bool {
        guard case .empty = content else { return false }
        content = .value(value)
        return true
    }

    func child(forKey key: String) -> JSONNode? {
        if case .object(let nodes, let places) = content { places[UTF8Text(key)].map { nodes[$0].node } } else { nil }
    }

    /// Stores a new place under `key`, in place of what was there.
    func addChild(forKey key: String) -> JSONNode {
        let child = JSONNode()
        if case .object(var nodes, var places) = content {
            content = .empty  // or the collections would be copied
            if let place = places[UTF8Text(key)] {
                nodes[place].node = child
            } else {
                places[UTF8Text(key)] = nodes.count
                nodes.append((key, child))
            }
            content = .object(nodes, places: places)
        }
        return child
    }

    func appendChild() -> JSONNode {
        let child = JSONNode()
        if case .array(var nodes) = content {
            content = .empty  // or the array would be copied
            nodes.append(child)
            content = .array(nodes)
        }
        return child
    }
}
