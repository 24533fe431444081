// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// The bytes of a message in memory that is shared and does not move, so that the kernel can be pointed at it.
nonisolated struct EncodedMessage {
    private struct Header {
        let count: Int
        let shared: SharedMemory?
    }

    private final class Storage: ManagedBuffer<Header, UInt8> {
        deinit { header.shared?.bytes -= header.count }
    }

    private let storage: ManagedBuffer<Header, UInt8>
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

    /// Copies bytes. Those of a message that waits for several clients are counted in `shared`, once for all of them.
    init(_ bytes: UnsafeRawBufferPointer, countedIn shared: SharedMemory? = nil) {
        storage = Storage.create(minimumCapacity: bytes.count) { _ in Header(count: bytes.count, shared: shared) }
        shared?.bytes += bytes.count
        count = bytes.count
        UnsafeMutableRawBufferPointer(start: base, count: count).copyMemory(from: bytes)
    }

    /// Whether it is counted as shared.
    var isShared: Bool { storage.header.shared != nil }

    /// The first byte. Valid for as long as the message is kept.
    var base: UnsafeMutableRawPointer {
        storage.withUnsafeMutablePointerToElements { UnsafeMutableRawPointer($0) }
    }
}

/// The memory of messages that wait for several clients.
nonisolated final class SharedMemory {
    /// Bytes of all messages that are counted here and still wait.
    fileprivate(set) var bytes = 0
}
