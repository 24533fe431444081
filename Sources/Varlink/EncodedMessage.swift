// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// The bytes of a message in memory that is shared and does not move, so that the kernel can be pointed at it.
nonisolated struct EncodedMessage {
    private let storage: ManagedBuffer<Int, UInt8>

    init(_ bytes: [UInt8]) {
        storage = .create(minimumCapacity: bytes.count) { _ in bytes.count }
        storage.withUnsafeMutablePointerToElements { elements in
            for (position, byte) in bytes.enumerated() { (elements + position).initialize(to: byte) }
        }
    }

    var count: Int { storage.header }

    /// The first byte. Valid for as long as the message is kept.
    var base: UnsafeMutableRawPointer { storage.withUnsafeMutablePointerToElements { UnsafeMutableRawPointer($0) } }
}
