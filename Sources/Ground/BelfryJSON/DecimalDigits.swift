// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// Writes numbers in decimal into memory that exists, from the last digit to the first.
package nonisolated enum DecimalDigits {
    /// The most bytes that a number of 64 bits takes, its sign included.
    package static let longest = 20

    /// Writes a number so that it ends before `end`, where `longest` bytes must be free. Returns its first byte.
    package static func write(_ value: Int64, before end: UnsafeMutablePointer<UInt8>) -> UnsafeMutablePointer<UInt8> {
        let start = write(value.magnitude, before: end)
        guard value < 0 else { return start }
        start[-1] = UInt8(ascii: "-")
        return start - 1
    }

    /// The same for a number without a sign.
    package static func write(_ value: UInt64, before end: UnsafeMutablePointer<UInt8>) -> UnsafeMutablePointer<UInt8> {
        var start = end
        var rest = value
        repeat {
            let (quotient, digit) = rest.quotientAndRemainder(dividingBy: 10)
            start -= 1
            start.pointee = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: digit)
            rest = quotient
        } while rest > 0
        return start
    }
}
