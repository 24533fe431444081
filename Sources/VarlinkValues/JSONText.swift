// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// An object in JSON that was found to be right, and is read when it is asked for, as a whole or member by member.
package nonisolated struct JSONText: Sendable {
    /// An object without members.
    package static let empty = JSONText(ArraySlice("{}".utf8))

    @usableFromInline let bytes: ArraySlice<UInt8>

    /// The text, which was found to be right.
    package init(_ bytes: ArraySlice<UInt8>) { self.bytes = bytes }

    /// An object as text.
    package init(_ object: VarlinkObject) { self.init(ArraySlice(VarlinkValue.object(object).json)) }

    /// All of it.
    package var object: VarlinkObject {
        var object = VarlinkObject()
        read { (key, parser) throws(VarlinkParseError) in object[key.string] = try parser.value() }
        return object
    }

    /// Walks over the members. `body` reads the value, or throws to end the walk.
    ///
    /// - Returns: whether it came to the end.
    @inline(__always)
    @discardableResult
    package func read(_ body: (JSONKey, inout JSONParser) throws(VarlinkParseError) -> Void) -> Bool {
        bytes.withUnsafeBufferPointer { bytes in
            var parser = JSONParser(bytes)
            do throws(VarlinkParseError) {
                try parser.members(body)
                return true
            } catch {
                return false
            }
        }
    }
}
