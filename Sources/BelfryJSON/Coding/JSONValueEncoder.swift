// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// Encodes values into `JSONValue`, without Foundation.
///
/// Integers become `int`, those beyond `Int64` a string of their digits; `Float` and `Double` become `double`, and infinities
/// and NaN, which JSON does not have, are refused; nil becomes `null`. A type that writes two kinds of container into one place,
/// or two single values, is refused with an error and not trapped.
public nonisolated struct JSONValueEncoder: Sendable {
    /// The deepest nesting that any limit allows: values are encoded by recursion, and the stack must hold it.
    public static let deepest = 256

    /// How many containers may lie in each other.
    public let maximumDepth: Int

    /// Makes an encoder. A value that nests deeper than `maximumDepth` is refused, an endless one included.
    public init(maximumDepth: Int = 64) {
        self.maximumDepth = min(max(maximumDepth, 0), Self.deepest)
    }

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
