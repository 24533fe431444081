// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import CSystemd
internal import Glibc
package import Lifecycle
internal import Varlink

/// A post as programs mostly write it: the name, then the user info, and nothing in it that we would write otherwise. It
/// is found without being taken apart.
package nonisolated struct PlainPost {
    package let name: LifecycleNotification.Name
    /// Where the object is in the message.
    package let userInfo: Range<Int>

    private static let lead: StaticString = #"{"name":""#
    private static let middle: StaticString = #"","userInfo":"#

    /// - Parameters:
    ///   - message: the call.
    ///   - parameters: where they are in it.
    ///   - last: the name of the last post, which is often that of the next.
    /// - Returns: nil when they are written in another way, or the name is none that can be posted.
    package init?(_ message: ArraySlice<UInt8>, _ parameters: Range<Int>, last: LifecycleNotification.Name?) {
        var name: LifecycleNotification.Name?
        let start = parameters.lowerBound
        let info = message.withUnsafeBufferPointer { bytes -> Range<Int>? in
            let place = start - message.startIndex
            let bytes = UnsafeBufferPointer(rebasing: bytes[place..<place + parameters.count])
            guard let (text, info) = Self.parts(of: bytes) else { return nil }
            if let last, JSONKey.plain(text).isSame(as: last.rawValue) {
                name = last
            } else {
                name = LifecycleNotification.Name(String(decoding: text, as: UTF8.self))
            }
            return info
        }
        guard let info, let name, !name.isTransition else { return nil }
        self.name = name
        userInfo = start + info.lowerBound..<start + info.upperBound
    }

    private static func parts(
        of bytes: UnsafeBufferPointer<UInt8>
    ) -> (name: UnsafeBufferPointer<UInt8>, info: Range<Int>)? {
        guard let base = bytes.baseAddress, found(lead, in: bytes, at: 0) else { return nil }
        let start = lead.utf8CodeUnitCount
        var isASCII = false
        let end = start + belfry_plain_length(base + start, bytes.count - start, &isASCII)
        guard isASCII, found(middle, in: bytes, at: end) else { return nil }
        let info = end + middle.utf8CodeUnitCount
        guard let length = JSONText.plainObjectLength(UnsafeBufferPointer(rebasing: bytes[info...])),
            info + length == bytes.count - 1, bytes[info + length] == UInt8(ascii: "}")
        else { return nil }
        return (UnsafeBufferPointer(start: base + start, count: end - start), info..<info + length)
    }

    @inline(__always)
    private static func found(_ text: StaticString, in bytes: UnsafeBufferPointer<UInt8>, at place: Int) -> Bool {
        guard let base = bytes.baseAddress, bytes.count - place >= text.utf8CodeUnitCount else { return false }
        return memcmp(base + place, text.utf8Start, text.utf8CodeUnitCount) == 0
    }
}
