// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import Glibc

/// The name of a member while its object is read. It is compared where it stands; hardly any has to become a string.
package nonisolated enum JSONKey {
    /// It is what stands between the quotation marks.
    case plain(UnsafeBufferPointer<UInt8>)
    /// It was written with escapes, or is not ASCII.
    case decoded(String)

    /// The name.
    package var string: String {
        switch self {
        case .plain(let bytes): String(decoding: bytes, as: UTF8.self)
        case .decoded(let text): text
        }
    }

    /// Whether it is this name.
    package func isSame(as name: String) -> Bool {
        switch self {
        case .plain(let bytes):
            var name = name
            return name.withUTF8 { Self.isSame($0, bytes) }
        case .decoded(let text): return text.hasSameBytes(as: name)
        }
    }

    /// Lets `switch` tell names apart.
    @inline(__always)
    package static func ~= (name: StaticString, key: JSONKey) -> Bool {
        switch key {
        case .plain(let bytes):
            return isSame(UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount), bytes)
        case .decoded(let text): return text.hasSameBytes(as: name.description)
        }
    }

    @inline(__always)
    private static func isSame(_ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>) -> Bool {
        guard left.count == right.count, let start = left.baseAddress, let other = right.baseAddress else {
            return left.count == right.count
        }
        return memcmp(start, other, left.count) == 0
    }
}
