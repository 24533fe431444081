// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import BelfryJSON
package import CBelfry
internal import Varlink

/// An entry in the table of subscribers.
package nonisolated struct Slot {
    /// 0 for a free slot, otherwise 1.
    var state: UInt64 = 0
    /// Of the socket (stat(2)), since the numbers of descriptors are used again.
    var inode: UInt64 = 0
    var position = belfry_position()
    /// How many bytes the names take that were asked for, and one more; 0 stands for all names.
    var names: UInt64 = 0
}

/// Writes to the client of one slot, and records in the slot how far the client has been written to.
package final class SlotRecorder: VarlinkWriteRecorder {
    private let slot: UInt64
    private let position: UnsafeMutablePointer<belfry_position>
    private let write: UnsafeMutablePointer<belfry_inflight_write>

    init(
        _ slot: Int, position: UnsafeMutablePointer<belfry_position>,
        write: UnsafeMutablePointer<belfry_inflight_write>
    ) {
        self.slot = UInt64(slot + 1)
        self.position = position
        self.write = write
    }

    package func send(_ descriptor: Int32, _ parts: UnsafeMutablePointer<iovec>?, _ count: Int) -> Int {
        belfry_send_recorded(descriptor, parts, count, write, slot, position.pointee)
    }

    package func record(_ bytes: Int, of number: UInt64) {
        position.pointee = belfry_position(number: number, bytes: UInt64(bytes))
        belfry_publish(&write.pointee.slot, 0)
    }
}

/// The table of subscribers in the handoff memory.
package nonisolated struct SlotTable {
    /// A subscription of an earlier process.
    package struct Subscription {
        /// Its slot in the table.
        package let slot: Int
        /// Of its socket (stat(2)).
        package let inode: UInt64
        /// The names it asked for; nil for all.
        package let names: Set<UTF8Text>?
        /// How far it has been written to; nil when that is unknown.
        package let position: belfry_position?
    }

    private let table: UnsafeMutableBufferPointer<Slot>
    /// The names that subscribers asked for. Each slot has its own part of it.
    private let names: UnsafeMutableRawPointer
    private let write: UnsafeMutablePointer<belfry_inflight_write>
    private var free: [UInt32] = []
    /// Slots from here on were never used.
    private var unused = 0

    init(
        _ table: UnsafeMutableBufferPointer<Slot>, names: UnsafeMutableRawPointer,
        write: UnsafeMutablePointer<belfry_inflight_write>
    ) {
        self.table = table
        self.names = names
        self.write = write
    }

    /// Adds a subscription; nil when there is no room. It counts from `confirm(_:)` on.
    package mutating func add(inode: UInt64, names: Set<UTF8Text>?) -> Int? {
        guard let slot = free.popLast().map(Int.init) ?? (unused < table.count ? unused : nil) else { return nil }
        unused = max(unused, slot + 1)
        table[slot] = Slot(inode: inode, names: names.map { store($0, in: slot) } ?? 0)
        return slot
    }

    /// Copies a subscription of an earlier process from a table of another size.
    mutating func copy(_ subscription: Subscription) {
        guard let position = subscription.position, subscription.slot < table.count else { return }
        let slot = subscription.slot
        for slot in unused..<max(unused, slot) { free.append(UInt32(slot)) }
        unused = slot + 1
        table[slot] = Slot(
            inode: subscription.inode, position: position, names: subscription.names.map { store($0, in: slot) } ?? 0)
        confirm(slot)
    }

    func contains(_ subscription: Subscription) -> Bool {
        subscription.slot < table.count && table[subscription.slot].state == 1
            && table[subscription.slot].inode == subscription.inode
    }

    /// Returns the recorder that writes to the client of a slot.
    @MainActor
    package func recorder(of slot: Int) -> SlotRecorder? {
        guard let base = table.baseAddress, let offset = MemoryLayout.offset(of: \Slot.position) else { return nil }
        let position = UnsafeMutableRawPointer(base + slot) + offset
        return SlotRecorder(slot, position: position.assumingMemoryBound(to: belfry_position.self), write: write)
    }

    /// From now on the next process finds the subscription.
    package func confirm(_ slot: Int) { belfry_publish(&table[slot].state, 1) }

    /// Removes a subscription.
    package mutating func remove(_ slot: Int) {
        belfry_publish(&table[slot].state, 0)
        if write.pointee.slot == UInt64(slot + 1) { belfry_publish(&write.pointee.slot, 0) }
        free.append(UInt32(slot))
    }

    /// Reads the subscriptions of an earlier process. To be called once, before anything is added.
    package mutating func load(_ ring: NotificationRing) throws(HandoffMemoryError) -> [Subscription] {
        var found: [Subscription] = []
        for slot in table.indices where table[slot].state != 0 {
            let entry = table[slot]
            guard entry.state == 1 else { throw .corrupt("table of subscribers") }
            let names = entry.names == 0 ? nil : try loadNames(of: slot, entry.names - 1)
            for slot in unused..<slot { free.append(UInt32(slot)) }
            unused = slot + 1
            let position = position(of: slot, names, ring)
            if let position { table[slot].position = position }
            found.append(Subscription(slot: slot, inode: entry.inode, names: names, position: position))
        }
        belfry_publish(&write.pointee.slot, 0)
        return found
    }

    private func position(of slot: Int, _ names: Set<UTF8Text>?, _ ring: NotificationRing) -> belfry_position? {
        guard write.pointee.slot == UInt64(slot + 1) else { return table[slot].position }
        return write.pointee.before.advanced(by: Int(belfry_inflight_bytes(write)), names, ring)
    }

    /// Each name is preceded by its length in one byte: a name has at most 255 bytes. Returns what the slot says about them.
    private func store(_ names: Set<UTF8Text>, in slot: Int) -> UInt64 {
        let bytes = names.flatMap { [UInt8(truncatingIfNeeded: $0.string.utf8.count)] + Array($0.string.utf8) }
        let place = UnsafeMutableRawBufferPointer(
            start: self.names + slot * HandoffLayout.longestNames, count: HandoffLayout.longestNames)
        place.copyBytes(from: bytes)
        return UInt64(bytes.count + 1)
    }

    private func loadNames(of slot: Int, _ length: UInt64) throws(HandoffMemoryError) -> Set<UTF8Text> {
        guard length <= HandoffLayout.longestNames else { throw .corrupt("filter") }
        var rest = UnsafeRawBufferPointer(
            start: self.names + slot * HandoffLayout.longestNames, count: Int(length))[...]
        var names: Set<UTF8Text> = []
        while let count = rest.popFirst() {
            guard rest.count >= Int(count), let name = String(validating: rest.prefix(Int(count)), as: UTF8.self) else {
                throw .corrupt("filter")
            }
            names.insert(UTF8Text(name))
            rest = rest.dropFirst(Int(count))
        }
        return names
    }
}

nonisolated extension belfry_position {
    /// The position after so many bytes more, of a subscriber to `names` (nil for all). Nil when the ring does not hold the
    /// messages that were written.
    package func advanced(by count: Int, _ names: Set<UTF8Text>?, _ ring: NotificationRing) -> belfry_position? {
        var position = self
        var left = UInt64(clamping: count)
        guard left > 0 else { return position }
        ring.forEach(from: number) { record in
            guard record.isWanted(by: names) else { return true }
            let size = UInt64(record.message.count)
            let rest = size - min(position.bytes, size)
            guard left >= rest else {
                position = belfry_position(number: record.sequence, bytes: position.bytes + left)
                left = 0
                return false
            }
            left -= rest
            position = belfry_position(number: record.sequence + 1, bytes: 0)
            return left > 0
        }
        return left == 0 ? position : nil
    }
}
