// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// The bytes of a message in memory that is shared and does not move, so that the kernel can be pointed at it.
nonisolated struct EncodedMessage {
    private let storage: ManagedBuffer<Int, UInt8>
    /// The size on the wire, in bytes.
    let count: Int
    /// Its place among what a broadcast sends; 0 for what has none.
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

    init(_ writer: borrowing JSONWriter) {
        self.init(UnsafeRawBufferPointer(writer.bytes))
    }

    init(_ bytes: UnsafeRawBufferPointer) {
        storage = .create(minimumCapacity: bytes.count) { _ in bytes.count }
        count = bytes.count
        UnsafeMutableRawBufferPointer(start: base, count: count).copyMemory(from: bytes)
    }

    /// The first byte. Valid for as long as the message is kept.
    var base: UnsafeMutableRawPointer {
        storage.withUnsafeMutablePointerToElements { UnsafeMutableRawPointer($0) }
    }
}
