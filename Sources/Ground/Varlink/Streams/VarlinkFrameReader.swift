// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import Glibc

/// Splits a stream of bytes into messages, each ended by one NUL (UAPI.20, «Framing»).
///
/// Each byte is examined once, however small the pieces are in which the bytes arrive.
package nonisolated struct VarlinkFrameReader: Sendable {
    /// The longest message that is accepted, in bytes without the NUL.
    package internal(set) var limit: Int

    private var buffer: [UInt8] = []
    /// The first byte that was not returned yet.
    private var head = 0
    /// The bytes from `head` up to this one contain no NUL.
    private var searched = 0

    /// Room that an idle reader may keep, in bytes.
    private static let keptCapacity = 1024

    /// A reader without input.
    package init(limit: Int = 1 << 20) { self.limit = limit }

    /// How many bytes wait: complete messages and the beginning of one.
    package var pendingBytes: Int { buffer.count - head }

    /// Bytes of memory that are allocated.
    var heldBytes: Int { buffer.capacity }

    /// Whether the next message is known to be longer than the limit.
    package var isOverlong: Bool { searched - head > limit }

    /// Adds input. Read all messages before adding more than memory should hold.
    package mutating func append(_ bytes: UnsafeRawBufferPointer) {
        if head == buffer.count {
            buffer.removeAll(keepingCapacity: buffer.capacity <= Self.keptCapacity)
            searched = 0
            head = 0
        } else if head > buffer.count / 2 {
            buffer.removeSubrange(..<head)
            searched -= head
            head = 0
        }
        buffer.append(contentsOf: bytes)
    }

    /// Whether a complete message waits.
    package mutating func containsFrame() -> Bool {
        let start = searched
        searched = buffer.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress, let end = memchr(base + start, 0, bytes.count - start) else {
                return bytes.count
            }
            return UnsafeRawPointer(end) - base
        }
        return searched < buffer.count
    }

    /// Frees memory of messages that were returned, if nothing waits and it is more than a usual message takes.
    mutating func release() {
        guard head == buffer.count, buffer.capacity > Self.keptCapacity else { return }
        buffer = []
        head = 0
        searched = 0
    }

    /// Removes the next message, and returns it without its NUL; nil when it is not complete. Release the slice before
    /// adding more input, or the buffer is copied.
    ///
    /// - Throws: `tooLarge` as soon as the length exceeds the limit. The reader cannot be used afterwards.
    package mutating func next() throws(VarlinkProtocolError) -> ArraySlice<UInt8>? {
        let isWhole = containsFrame()
        guard !isOverlong else { throw .tooLarge(limit) }
        guard isWhole else { return nil }
        let frame = buffer[head..<searched]
        searched += 1
        head = searched
        return frame
    }
}
