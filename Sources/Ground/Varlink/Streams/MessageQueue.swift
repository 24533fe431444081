// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import CBelfry
internal import Glibc

/// Messages that wait to be written to one stream.
struct MessageQueue {
    /// Nil where a message was written whole: a stream holds no memory beyond `byteCount`.
    private var messages: [EncodedMessage?] = []
    private var head = 0
    /// How much of the message at `head` was written.
    private var written = 0

    /// Bytes that wait.
    private(set) var byteCount = 0

    /// Messages that wait, including one that was partly written.
    var count: Int { messages.count - head }

    /// The message that is written next, if streams share it, and how many of its bytes wait.
    var shared: (message: EncodedMessage, rest: Int)? {
        guard head < messages.count, let message = messages[head], message.isShared else { return nil }
        return (message, message.count - written)
    }

    /// Adds a message.
    mutating func append(_ message: EncodedMessage) {
        byteCount += message.count
        messages.append(message)
    }

    /// Removes everything, when nothing can be written any more.
    mutating func removeAll() {
        messages = []
        head = 0
        written = 0
        byteCount = 0
    }

    /// Describes in `vectors` what to write next. Returns how many are used, and how many bytes they have.
    func fill(_ vectors: UnsafeMutableBufferPointer<iovec>) -> (parts: Int, bytes: Int) {
        var (parts, bytes) = (0, 0)
        for case let message? in messages[head...].prefix(vectors.count) {
            let skipped = parts == 0 ? written : 0
            vectors[parts] = iovec(iov_base: message.base + skipped, iov_len: message.count - skipped)
            bytes += message.count - skipped
            parts += 1
        }
        return (parts, bytes)
    }

    /// Removes so many bytes, which were written.
    mutating func consume(_ bytes: Int) {
        byteCount -= bytes
        written += bytes
        while head < messages.count, let message = messages[head], written >= message.count {
            written -= message.count
            messages[head] = nil
            head += 1
        }
        compact()
    }

    private mutating func compact() {
        if head == messages.count {
            // One place is kept for the next turn.
            if head == 1 { messages.removeLast() } else { messages = [] }
            head = 0
        } else if head > 256, head > messages.count / 2 {
            messages.removeSubrange(..<head)
            head = 0
        }
    }
}

/// The bytes of a message, in memory that is shared and does not move, so that the kernel can read it.
nonisolated struct EncodedMessage {
    private let storage: ManagedBuffer<Void, UInt8>
    /// The size on the wire, in bytes.
    let count: Int
    /// Whether other streams have it too, so that its memory is counted once.
    let isShared: Bool

    init(_ writer: borrowing JSONWriter) {
        self.init(UnsafeRawBufferPointer(writer.bytes))
    }

    /// Copies bytes.
    init(_ bytes: UnsafeRawBufferPointer, isShared: Bool = false) {
        self.isShared = isShared
        storage = .create(minimumCapacity: bytes.count) { _ in }
        count = bytes.count
        UnsafeMutableRawBufferPointer(start: base, count: count).copyMemory(from: bytes)
    }

    /// Its memory. No two messages that exist have the same.
    var id: ObjectIdentifier { ObjectIdentifier(storage) }

    /// The first byte. Valid as long as the message exists.
    var base: UnsafeMutableRawPointer {
        storage.withUnsafeMutablePointerToElements { UnsafeMutableRawPointer($0) }
    }
}
