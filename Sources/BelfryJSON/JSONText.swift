// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import CSystemd

/// An object in JSON that was found to be right, and is read when it is asked for, as a whole or member by member.
package nonisolated struct JSONText: Sendable {
    /// An object without members.
    package static let empty = JSONText(ArraySlice("{}".utf8))

    /// What it was made from, or else as it would be written.
    package let bytes: ArraySlice<UInt8>

    /// The text, which was found to be right.
    package init(_ bytes: ArraySlice<UInt8>) { self.bytes = bytes }

    /// An object as text.
    package init(_ object: JSONObject) { self.init(ArraySlice(JSONValue.object(object).json)) }

    /// The length of the object that `bytes` begin with, if it is written as we write one: no white space, no escapes, all
    /// in ASCII, numbers whole, names in ascending order and none twice. It reads the same when it is read and written
    /// again, so that it can be passed on as it is. Otherwise nil, which says nothing about it.
    package static func plainObjectLength(_ bytes: UnsafeBufferPointer<UInt8>) -> Int? {
        guard let base = bytes.baseAddress else { return nil }
        let length = belfry_plain_object_length(base, bytes.count)
        return length > 0 ? length : nil
    }

    /// All of it.
    package var object: JSONObject {
        var object = JSONObject()
        read { (key, parser) throws(JSONParseError) in object[key.string] = try parser.value() }
        return object
    }

    /// Walks over the members. `body` reads the value, or throws to end the walk.
    ///
    /// - Returns: whether it came to the end.
    @inline(__always)
    @discardableResult
    package func read(_ body: (JSONKey, inout JSONParser) throws(JSONParseError) -> Void) -> Bool {
        bytes.withUnsafeBufferPointer { bytes in
            var parser = JSONParser(bytes)
            do throws(JSONParseError) {
                try parser.members(body)
                return true
            } catch {
                return false
            }
        }
    }
}
