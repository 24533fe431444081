// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// Encodes values into `UserInfoValue`, without Foundation.
///
/// Integers become `int`, those beyond `Int64` a string of their digits; `Float` and `Double` become `double`, the
/// values that are no numbers included; nil becomes `null`. A type that writes two kinds of container into one place,
/// or two single values, is refused with an error and not trapped.
public nonisolated struct UserInfoEncoder: Sendable {
    /// How many containers may lie in each other.
    public let maximumDepth: Int

    /// Makes an encoder. A value that nests deeper than `maximumDepth` is refused, an endless one included.
    public init(maximumDepth: Int = RestorationLimits.standard.depth) {
        self.maximumDepth = RestorationLimits(size: 0, depth: maximumDepth).depth
    }

    /// Encodes a value.
    ///
    /// - Throws: `EncodingError`, or what the value's own `encode(to:)` throws.
    public func encode<Value: Encodable>(_ value: Value) throws -> UserInfoValue {
        let encoding = UserInfoEncoding(maximumDepth: maximumDepth)
        let node = UserInfoNode()
        try UserInfoNodeEncoder(encoding: encoding, node: node, codingPath: []).encode(value)
        if let failure = encoding.failure { throw failure }
        return node.value
    }
}
