// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import Glibc

/// Splits a stream of bytes into messages, each ended by one NUL (UAPI.20, «Framing»).
///
/// Every byte is looked at once, in however small pieces it comes.
public nonisolated struct VarlinkFrameReader: Sendable {
    /// A message longer than the limit; its sender cannot be followed any further.
    public struct TooLarge: Error, Sendable, Equatable {
        /// The limit, in bytes.
        public let limit: Int

        /// The error for this limit.
        public init(limit: Int) { self.limit = limit }
    }

    /// The longest message that is taken, in bytes without the NUL.
    public internal(set) var limit: Int

    private var buffer: [UInt8] = []
    /// The first byte not handed out.
    private var head = 0
    /// Bytes before this one, from `head` on, hold no NUL.
    private var searched = 0

    /// Room that an idle reader may keep, in bytes.
    private static let keptCapacity = 1024

    /// A reader that has seen nothing yet.
    public init(limit: Int = 1 << 20) { self.limit = limit }

    /// How many bytes are waiting, whole messages and the beginning of one.
    public var pendingBytes: Int { buffer.count - head }

    /// Bytes of memory that are held, for what waits and beyond.
    var heldBytes: Int { buffer.capacity }

    /// Whether what was looked at of the next message is longer than the limit already.
    public var isOverlong: Bool { searched - head > limit }

    /// Takes what came in. Take all messages out before more is added than memory should hold.
    public mutating func append(_ bytes: UnsafeRawBufferPointer) {
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

    /// Takes out everything that is waiting, whatever it is.
    public mutating func takeAll() -> [UInt8] {
        defer { self = Self(limit: limit) }
        return Array(buffer[head...])
    }

    /// Whether a whole message is waiting.
    public mutating func containsFrame() -> Bool {
        let start = searched
        searched = buffer.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress, let end = memchr(base + start, 0, bytes.count - start) else {
                return bytes.count
            }
            return UnsafeRawPointer(end) - base
        }
        return searched < buffer.count
    }

    /// Lets go of the memory of messages that were taken out, if nothing waits and it is more than a usual message takes.
    mutating func release() {
        guard head == buffer.count, buffer.capacity > Self.keptCapacity else { return }
        buffer = []
        head = 0
        searched = 0
    }

    /// Takes out the next message, without its NUL, or nil when the end of it has not come yet. Let go of the slice
    /// before adding more, or the buffer is copied.
    ///
    /// - Throws: `TooLarge` as soon as that is known; the reader is of no use afterwards.
    public mutating func next() throws(TooLarge) -> ArraySlice<UInt8>? {
        let isWhole = containsFrame()
        guard !isOverlong else { throw TooLarge(limit: limit) }
        guard isWhole else { return nil }
        let frame = buffer[head..<searched]
        searched += 1
        head = searched
        return frame
    }
}
