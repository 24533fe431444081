// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

nonisolated extension JSONParser {
    mutating func number() throws(JSONParseError) -> JSONValue {
        let start = offset
        let isNegative = take(UInt8(ascii: "-"))
        var integer: Int64? = 0
        if !take(UInt8(ascii: "0")) {
            try digits { digit in
                guard let value = integer else { return }
                let (product, overflow) = value.multipliedReportingOverflow(by: 10)
                let (sum, carry) = product.addingReportingOverflow(isNegative ? -digit : digit)
                integer = overflow || carry ? nil : sum
            }
        }
        var isInteger = true
        if take(UInt8(ascii: ".")) {
            isInteger = false
            try digits { _ in }
        }
        if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
            isInteger = false
            if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
            try digits { _ in }
        }
        if isInteger, let integer, !(isNegative && integer == 0) { return .int(integer) }
        return .double(try double(from: start))
    }

    private func double(from start: Int) throws(JSONParseError) -> Double {
        guard offset - start <= Self.maximumNumberLength,
            let value = Double(String(decoding: bytes[start..<offset], as: UTF8.self)), value.isFinite
        else { throw JSONParseError(reason: .numberOutOfRange, offset: start) }
        return value
    }

    /// One digit or more.
    @inline(__always)
    private mutating func digits(_ body: (Int64) -> Void) throws(JSONParseError) {
        let start = offset
        while let byte = next, byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") {
            body(Int64(byte - UInt8(ascii: "0")))
            offset += 1
        }
        if offset == start { throw unexpected() }
    }
}
