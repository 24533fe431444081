// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// The bytes of a message in memory that is shared and does not move, so that the kernel can be pointed at it.
nonisolated struct EncodedMessage {
    private let storage: ManagedBuffer<Int, UInt8>
    /// Its place among what a broadcast sends, or of several the last one's; 0 for what has none.
    var number: UInt64 = 0

    init(_ call: VarlinkCall) {
        var writer = JSONWriter()
        call.write(to: &writer)
        self.init(writer)
    }

    init(_ reply: VarlinkReply) {
        var writer = JSONWriter()
        reply.write(to: &writer)
        self.init(writer)
    }

    private init(_ writer: borrowing JSONWriter) {
        self.init(UnsafeRawBufferPointer(writer.bytes))
    }

    init(_ bytes: UnsafeRawBufferPointer) {
        storage = .create(minimumCapacity: bytes.count) { _ in bytes.count }
        UnsafeMutableRawBufferPointer(start: base, count: bytes.count).copyMemory(from: bytes)
    }

    /// Several messages as one.
    init(joining messages: ArraySlice<EncodedMessage>) {
        let size = messages.reduce(0) { $0 + $1.count }
        storage = .create(minimumCapacity: size) { _ in size }
        number = messages.last?.number ?? 0
        var end = base
        for message in messages {
            end.copyMemory(from: message.base, byteCount: message.count)
            end += message.count
        }
    }

    /// Whether both are the same bytes in the same place.
    static func === (left: Self, right: Self) -> Bool { left.storage === right.storage }

    var count: Int { storage.header }

    /// The first byte. Valid for as long as the message is kept.
    var base: UnsafeMutableRawPointer { storage.withUnsafeMutablePointerToElements { UnsafeMutableRawPointer($0) } }
}
