// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryJSON
internal import Glibc

/// The fields of a record for programs (systemd.journal-fields(7)), in the form in which journald reads them (systemd,
/// «Native Journal Protocol»).
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

    /// Adds `NAME=value`, or, where the value has line feeds, its length and the value after a line that has the name.
    /// Of a longer value the first MiB is taken.
    package mutating func add(_ name: StaticString, _ value: String) { add(Self.bytes(of: name), value) }

    /// The same for a name that is not known before. It must be valid: upper-case letters, digits and underscores.
    package mutating func add(named name: String, _ value: String) {
        var name = name
        name.withUTF8 { add($0, value) }
    }

    /// The same for the text of a record.
    package mutating func add(_ name: StaticString, _ value: RecordText) {
        value.bytes.withUnsafeBufferPointer { add(Self.bytes(of: name), $0) }
    }

    /// Adds `NAME=value`.
    package mutating func add(_ name: StaticString, _ value: Int64) {
        DecimalDigits.withBytes(of: value) { add(Self.bytes(of: name), $0) }
    }

    /// Adds `NAME=value`.
    package mutating func add(_ name: StaticString, _ value: UInt64) {
        DecimalDigits.withBytes(of: value) { add(Self.bytes(of: name), $0) }
    }

    private mutating func add(_ name: UnsafeBufferPointer<UInt8>, _ value: String) {
        var value = value.utf8.count > Self.longestValue ? String(value.prefix(bytes: Self.longestValue)) : value
        value.withUTF8 { add(name, $0) }
    }

    private mutating func add(_ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>) {
        guard let nameBase = name.baseAddress else { return }
        let isCounted = value.baseAddress.map { memchr($0, 0x0A, value.count) != nil } ?? false
        let size = name.count + 1 + (isCounted ? MemoryLayout<UInt64>.size : 0) + value.count + 1
        bytes.append(addingCapacity: size) { room in
            room.withUnsafeMutableBufferPointer { field, count in
                guard let base = field.baseAddress else { return }
                var next = UnsafeMutableRawPointer(base)
                next.copyMemory(from: nameBase, byteCount: name.count)
                next += name.count
                next.storeBytes(of: isCounted ? UInt8(ascii: "\n") : UInt8(ascii: "="), as: UInt8.self)
                next += 1
                if isCounted {
                    next.storeBytes(of: UInt64(value.count).littleEndian, as: UInt64.self)
                    next += MemoryLayout<UInt64>.size
                }
                if let base = value.baseAddress { next.copyMemory(from: base, byteCount: value.count) }
                next.storeBytes(of: UInt8(ascii: "\n"), toByteOffset: value.count, as: UInt8.self)
                count = size
            }
        }
    }

    private static func bytes(of name: StaticString) -> UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
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

    /// Adds other fields.
    package mutating func add(_ fields: JournalFields) { bytes += fields.bytes }

    /// Makes room for so many bytes.
    package mutating func reserve(_ count: Int) { bytes.reserveCapacity(count) }
}
