// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryJSON
internal import BelfryLinux
internal import Glibc

/// The fields of a record for programs (systemd.journal-fields(7)), in the form in which journald reads them (systemd, «Native
/// Journal Protocol»).
package nonisolated struct JournalFields: Sendable, Equatable, ExpressibleByDictionaryLiteral {
    /// The longest value, in bytes: the user info of the longest post is not cut.
    private static let longestValue = 1 << 20

    /// One field after the other.
    package private(set) var bytes: [UInt8] = []

    /// No fields.
    package init() {}

    /// Fields in the order given. A name has upper-case letters, digits and underscores.
    package init(dictionaryLiteral fields: (StaticString, String)...) {
        for (name, value) in fields { add(name, value) }
    }

    /// Adds `NAME=value`, or, where the value has line feeds, its length and the value after a line that has the name. Of a
    /// longer value the first MiB is taken.
    package mutating func add(_ name: StaticString, _ value: String) {
        name.withUTF8Buffer { bytes += $0 }
        append(value)
    }

    /// The same for a name that is not known before. It must be valid: upper-case letters, digits and underscores.
    package mutating func add(named name: String, _ value: String) {
        bytes += name.utf8
        append(value)
    }

    /// The same for the text of a record.
    package mutating func add(_ name: StaticString, _ value: RecordText) {
        name.withUTF8Buffer { bytes += $0 }
        value.bytes.withUnsafeBufferPointer { append($0) }
    }

    private mutating func append(_ value: String) {
        var value = value.utf8.count > Self.longestValue ? String(value.prefix(bytes: Self.longestValue)) : value
        value.withUTF8 { append($0) }
    }

    private mutating func append(_ value: UnsafeBufferPointer<UInt8>) {
        if let base = value.baseAddress, memchr(base, 0x0A, value.count) != nil {
            bytes.append(UInt8(ascii: "\n"))
            withUnsafeBytes(of: UInt64(value.count).littleEndian) { bytes += $0 }
        } else {
            bytes.append(UInt8(ascii: "="))
        }
        bytes += value
        bytes.append(UInt8(ascii: "\n"))
    }

    /// Visits the fields in their order.
    package func forEach(_ visit: (_ name: String, _ value: String) -> Void) {
        var rest = bytes[...]
        while let end = rest.firstIndex(where: { $0 == UInt8(ascii: "=") || $0 == UInt8(ascii: "\n") }) {
            let name = rest[..<end]
            let isCounted = rest[end] == UInt8(ascii: "\n")
            rest = rest[(end + 1)...]
            var length = rest.firstIndex(of: UInt8(ascii: "\n")).map { $0 - rest.startIndex } ?? rest.count
            if isCounted {
                length = rest.prefix(8).reversed().reduce(0) { $0 << 8 | Int($1) }
                rest = rest.dropFirst(8)
            }
            visit(String(decoding: name, as: UTF8.self), String(decoding: rest.prefix(length), as: UTF8.self))
            rest = rest.dropFirst(length + 1)
        }
    }

    /// Adds `NAME=value`. Not generic: that takes five times as long.
    package mutating func add(_ name: StaticString, _ value: Int64) { add(name, String(value)) }

    /// Adds `NAME=value`.
    package mutating func add(_ name: StaticString, _ value: UInt64) { add(name, String(value)) }

    /// Adds other fields.
    package mutating func add(_ fields: JournalFields) { bytes += fields.bytes }

    /// Makes room for so many bytes.
    package mutating func reserve(_ count: Int) { bytes.reserveCapacity(count) }
}
