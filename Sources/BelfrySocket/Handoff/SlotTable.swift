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
    /// The first block with the names of the filter, counted from 1; 0 stands for all names.
    var block: UInt32 = 0
    /// How many bytes of blocks the names take.
    var length: UInt32 = 0
    var reserved: (UInt64, UInt64, UInt64) = (0, 0, 0)
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
    private let write: UnsafeMutablePointer<belfry_inflight_write>
    private var filters: FilterStore
    private var free: [UInt32] = []
    /// Slots from here on were never used.
    private var unused = 0

    init(
        _ table: UnsafeMutableBufferPointer<Slot>, write: UnsafeMutablePointer<belfry_inflight_write>,
        filters: FilterStore
    ) {
        self.table = table
        self.write = write
        self.filters = filters
    }

    /// Adds a subscription; nil when there is no room. It counts from `confirm(_:)` on.
    package mutating func add(inode: UInt64, names: Set<UTF8Text>?) -> Int? {
        guard let slot = free.popLast().map(Int.init) ?? (unused < table.count ? unused : nil) else { return nil }
        guard set(slot, inode: inode, names: names) else {
            if slot < unused { free.append(UInt32(slot)) }
            return nil
        }
        unused = max(unused, slot + 1)
        return slot
    }

    /// Copies a subscription of an earlier process from a table of another size.
    mutating func copy(_ subscription: Subscription) {
        guard let position = subscription.position, subscription.slot < table.count else { return }
        for slot in unused..<max(unused, subscription.slot) { free.append(UInt32(slot)) }
        guard set(subscription.slot, inode: subscription.inode, names: subscription.names) else { return }
        unused = subscription.slot + 1
        table[subscription.slot].position = position
        confirm(subscription.slot)
    }

    func contains(_ subscription: Subscription) -> Bool {
        subscription.slot < table.count && table[subscription.slot].state == 1
            && table[subscription.slot].inode == subscription.inode
    }

    /// What writes to the client of a slot.
    @MainActor
    package func recorder(of slot: Int) -> SlotRecorder? {
        guard let base = table.baseAddress, let offset = MemoryLayout.offset(of: \Slot.position) else { return nil }
        let position = UnsafeMutableRawPointer(base + slot) + offset
        return SlotRecorder(slot, position: position.assumingMemoryBound(to: belfry_position.self), write: write)
    }

    /// From now on the next process finds the subscription.
    package func confirm(_ slot: Int) { belfry_publish(&table[slot].state, 1) }

    /// Removes a subscription.
    package mutating func remove(_ slot: Int, names: Set<UTF8Text>?) {
        belfry_publish(&table[slot].state, 0)
        if write.pointee.slot == UInt64(slot + 1) { belfry_publish(&write.pointee.slot, 0) }
        if let names { filters.remove(names) }
        free.append(UInt32(slot))
    }

    /// Reads the subscriptions of an earlier process. To be called once, before anything is added.
    package mutating func load(_ ring: NotificationRing) throws(HandoffMemoryError) -> [Subscription] {
        var found: [Subscription] = []
        for slot in table.indices where table[slot].state != 0 {
            let entry = table[slot]
            guard entry.state == 1 else { throw .corrupt("table of subscribers") }
            let place = FilterStore.Place(block: entry.block, length: entry.length)
            let names = entry.block == 0 ? nil : try filters.load(place)
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

    private mutating func set(_ slot: Int, inode: UInt64, names: Set<UTF8Text>?) -> Bool {
        var place = FilterStore.Place(block: 0, length: 0)
        if let names {
            guard let added = filters.add(names) else { return false }
            place = added
        }
        table[slot] = Slot(inode: inode, block: place.block, length: place.length)
        return true
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
