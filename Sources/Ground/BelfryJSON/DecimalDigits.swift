// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// Writes numbers in decimal into memory that exists, from the last digit to the first.
package nonisolated enum DecimalDigits {
    /// The most bytes that a number of 64 bits takes, its sign included.
    static let longest = 20

    /// Calls `body` with a number, which is valid until it returns.
    package static func withBytes(of value: Int64, _ body: (UnsafeBufferPointer<UInt8>) -> Void) {
        withBytes({ write(value, before: $0) }, body)
    }

    /// The same for a number without a sign.
    package static func withBytes(of value: UInt64, _ body: (UnsafeBufferPointer<UInt8>) -> Void) {
        withBytes({ write(value, before: $0) }, body)
    }

    private static func withBytes(
        _ write: (UnsafeMutablePointer<UInt8>) -> UnsafeMutablePointer<UInt8>,
        _ body: (UnsafeBufferPointer<UInt8>) -> Void
    ) {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: longest) { room in
            guard let base = room.baseAddress else { return }
            let end = base + room.count
            let start = write(end)
            body(UnsafeBufferPointer(start: start, count: end - start))
        }
    }

    /// Writes a number so that it ends before `end`, where `longest` bytes must be free. Returns its first byte.
    static func write(_ value: Int64, before end: UnsafeMutablePointer<UInt8>) -> UnsafeMutablePointer<UInt8> {
        let start = write(value.magnitude, before: end)
        guard value < 0 else { return start }
        start[-1] = UInt8(ascii: "-")
        return start - 1
    }

    /// The same for a number without a sign.
    private static func write(_ value: UInt64, before end: UnsafeMutablePointer<UInt8>) -> UnsafeMutablePointer<UInt8> {
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
