// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import CBelfry
internal import Glibc

/// What a broadcast has gathered in one turn, message after message in one piece of memory: so all of it is written to a
/// client at once, and nothing is allocated for a message unless some client has to wait for it.
final class ReplyBatch {
    // Nothing calls out while these are changed.
    @exclusivity(unchecked) private var bytes: [UInt8] = []
    @exclusivity(unchecked) private var ends: [(place: Int, number: UInt64)] = []
    /// The same for those who wait, made when the first of them does.
    private var shared: [EncodedMessage] = []

    /// Memory that is not worth being kept for the next turn.
    private static let keptCapacity = 64 << 10

    /// How many messages.
    var count: Int { ends.count }
    /// Their bytes.
    var byteCount: Int { bytes.count }
    /// The number of the last one.
    var last: UInt64 { ends.last?.number ?? 0 }

    /// Adds a message.
    func append(_ message: UnsafeRawBufferPointer, number: UInt64) {
        bytes.append(contentsOf: message)
        ends.append((bytes.count, number))
    }

    /// Begins anew.
    func removeAll() {
        shared = []
        bytes.removeAll(keepingCapacity: bytes.capacity <= Self.keptCapacity)
        ends.removeAll(keepingCapacity: true)
    }

    /// The messages one by one, in memory that lasts: in that of `others`, as far as it has them by their number.
    func messages(
        sharedWith others: inout [UInt64: EncodedMessage], countedIn memory: SharedMemory
    ) -> [EncodedMessage] {
        guard shared.isEmpty else { return shared }
        shared.reserveCapacity(ends.count)
        var start = 0
        for end in ends {
            if end.number > 0, let known = others[end.number] {
                shared.append(known)
            } else {
                var message = bytes.withUnsafeBytes {
                    EncodedMessage(.init(rebasing: $0[start..<end.place]), countedIn: memory)
                }
                message.number = end.number
                shared.append(message)
                if end.number > 0 { others[end.number] = message }
            }
            start = end.place
        }
        return shared
    }

    /// Writes all of it with `write`, which answers as send(2) does.
    func write(_ write: (UnsafeMutablePointer<iovec>) -> Int) -> Int {
        bytes.withUnsafeMutableBytes {
            var part = iovec(iov_base: $0.baseAddress, iov_len: $0.count)
            return write(&part)
        }
    }
}
