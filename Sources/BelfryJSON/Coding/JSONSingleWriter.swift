// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// Writes one value, once.
nonisolated struct JSONSingleWriter: SingleValueEncodingContainer {
    let encoder: JSONNodeEncoder

    var codingPath: [any CodingKey] { encoder.codingPath }

    func encodeNil() throws { try encoder.put(.null, for: Any?.none as Any) }
    func encode<Value: Encodable>(_ value: Value) throws { try encoder.encode(value) }
    func encode(_ value: Int128) throws { try encoder.encode(value) }
    func encode(_ value: UInt128) throws { try encoder.encode(value) }
}
