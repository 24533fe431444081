// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// Decodes values from `JSONValue`, without Foundation: the counterpart of `JSONValueEncoder`.
///
/// A number must fit the type that is asked for: an integer is never cut, a `double` never becomes an integer, and an
/// `int` becomes a `Double` only when it is exactly that. Errors name the whole path to where they happened.
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
