// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryJSON
package import BelfryLinux
internal import Glibc

/// The text of a record. Literals stand as they are, line breaks included; in interpolated values control characters
/// are escaped, and long values are cut.
///
///     "hold '\(reason)' of \(peer) is over"
///
/// So no value from outside can begin a line of a log.
package nonisolated struct RecordText: Sendable, Equatable, ExpressibleByStringInterpolation, CustomStringConvertible {
    /// The longest value, in bytes of UTF-8 before they are escaped.
    package static let longestValue = 512
    /// The longest text of several lines, in bytes.
    private static let longestText = 64 << 10

    /// The text in UTF-8, fit for a log that keeps its lines together.
    package let bytes: [UInt8]

    /// The text.
    package var description: String { String(decoding: bytes, as: UTF8.self) }

    private init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// A text of the program's own.
    package init(stringLiteral text: String) { bytes = Array(text.utf8) }

    /// Builds a text from what the program wrote and the values in it.
    package init(stringInterpolation: StringInterpolation) { bytes = stringInterpolation.bytes }

    /// A text of several lines from outside: control characters in each line are escaped. Only line feeds separate
    /// lines: `String.split` takes CR and LF together for one character.
    package init(lines text: String) {
        let lines = text.prefix(bytes: Self.longestText).utf8.split(separator: UInt8(ascii: "\n"))
        self.init(stringLiteral: lines.map { SystemError.escape(String(Substring($0))) }.joined(separator: "\n"))
    }

    /// One text behind the other.
    package static func + (left: Self, right: Self) -> Self { Self(left.bytes + right.bytes) }

    /// Collects the pieces of a text.
    package struct StringInterpolation: StringInterpolationProtocol {
        private(set) var bytes: [UInt8] = []

        /// Begins with room for the literals.
        package init(literalCapacity: Int, interpolationCount: Int) {
            bytes.reserveCapacity(literalCapacity + interpolationCount * 16)
        }

        /// Adds a literal.
        package mutating func appendLiteral(_ literal: String) {
            var literal = literal
            literal.withUTF8 { bytes += $0 }
        }

        /// Adds a text that is escaped already.
        package mutating func appendInterpolation(_ value: RecordText) { bytes += value.bytes }

        // Numbers. A generic function would take five times as long.

        /// Adds a number.
        package mutating func appendInterpolation(_ value: Int64) { DecimalDigits.withBytes(of: value) { bytes += $0 } }

        /// Adds a number.
        package mutating func appendInterpolation(_ value: UInt64) {
            DecimalDigits.withBytes(of: value) { bytes += $0 }
        }

        /// Adds a number.
        package mutating func appendInterpolation(_ value: Int) { appendInterpolation(Int64(value)) }

        /// Adds a number.
        package mutating func appendInterpolation(_ value: Int32) { appendInterpolation(Int64(value)) }

        /// Adds a number.
        package mutating func appendInterpolation(_ value: UInt32) { appendInterpolation(Int64(value)) }

        /// Adds a point in time as RFC 3339 and RFC 5424 write it, in UTC: `2026-01-02T14:03:22.123456Z`.
        ///
        /// - Parameter microseconds: CLOCK_REALTIME.
        package mutating func appendInterpolation(time microseconds: UInt64) {
            let (seconds, fraction) = microseconds.quotientAndRemainder(dividingBy: 1_000_000)
            var time = time_t(clamping: seconds)
            var parts = tm()
            gmtime_r(&time, &parts)
            let start = bytes.count
            appendLiteral("0000-00-00T00:00:00.000000Z")
            bytes.withUnsafeMutableBufferPointer { bytes in
                let time = UnsafeMutableBufferPointer(rebasing: bytes[start...])
                Self.write(Int(parts.tm_year) + 1900, to: 0..<4, of: time)
                Self.write(Int(parts.tm_mon) + 1, to: 5..<7, of: time)
                Self.write(Int(parts.tm_mday), to: 8..<10, of: time)
                Self.write(Int(parts.tm_hour), to: 11..<13, of: time)
                Self.write(Int(parts.tm_min), to: 14..<16, of: time)
                Self.write(Int(parts.tm_sec), to: 17..<19, of: time)
                Self.write(Int(fraction), to: 20..<26, of: time)
            }
        }

        /// Writes the last digits of a number over as many zeros.
        private static func write(_ number: Int, to places: Range<Int>, of text: UnsafeMutableBufferPointer<UInt8>) {
            var rest = UInt(bitPattern: number)
            for place in places.reversed() {
                text[place] &+= UInt8(truncatingIfNeeded: rest % 10)
                rest /= 10
            }
        }

        /// Adds a system error, which escapes the object it names.
        package mutating func appendInterpolation(_ value: SystemError) { appendLiteral(value.description) }

        /// Adds a text from outside.
        ///
        /// - Parameters:
        ///   - value: the text.
        ///   - limit: how many bytes of it at the most.
        package mutating func appendInterpolation(_ value: String, limit: Int = longestValue) {
            var value = value
            let isPlain = value.withUTF8 { utf8 in
                guard utf8.count <= limit, utf8.allSatisfy({ 0x20 <= $0 && $0 <= 0x7E }) else { return false }
                bytes += utf8
                return true
            }
            if isPlain { return }
            let start = value.prefix(bytes: limit)
            appendLiteral(SystemError.escape(String(start)))
            if start.endIndex < value.endIndex { appendLiteral("…") }
        }

        /// Adds the description of a value, as a text from outside.
        package mutating func appendInterpolation(_ value: some CustomStringConvertible, limit: Int = longestValue) {
            appendInterpolation(value.description, limit: limit)
        }

        /// Adds any other value, as a text from outside.
        package mutating func appendInterpolation(_ value: some Any, limit: Int = longestValue) {
            if let error = value as? SystemError { return appendInterpolation(error) }
            appendInterpolation(String(describing: value), limit: limit)
        }
    }
}
