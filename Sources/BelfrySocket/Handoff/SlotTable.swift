// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import BelfryJSON
package import CBelfry
package import Varlink

/// The table of subscribers in memory that outlives the process.
package nonisolated struct SlotTable {
    /// A subscriber that an earlier process left.
    package struct Left {
        /// Its line in the table.
        package let line: Int
        /// Its socket (stat(2)).
        package let inode: UInt64
        /// What it asked for; nil for everything.
        package let names: Set<UTF8Text>?
        /// How far it has been written to; nil when that is not known any more.
        package let progress: belfry_progress?
    }

    private let table: UnsafeMutableBufferPointer<Slot>
    private let flight: UnsafeMutablePointer<belfry_flight>
    private var filters: FilterStore
    private var free: [UInt32] = []
    /// Lines from here on were never used.
    private var unused = 0

    init(
        _ table: UnsafeMutableBufferPointer<Slot>, flight: UnsafeMutablePointer<belfry_flight>,
        filters: FilterStore
    ) {
        self.table = table
        self.flight = flight
        self.filters = filters
    }

    /// Adds a subscriber; nil when there is no room. It counts from `confirm(_:)` on.
    package mutating func add(inode: UInt64, names: Set<UTF8Text>?) -> Int? {
        guard let line = free.popLast().map(Int.init) ?? (unused < table.count ? unused : nil) else { return nil }
        guard set(line, inode: inode, names: names) else {
            if line < unused { free.append(UInt32(line)) }
            return nil
        }
        unused = max(unused, line + 1)
        return line
    }

    /// Copies what an earlier process left into a table of another size.
    mutating func copy(_ left: Left) {
        guard let progress = left.progress, left.line < table.count else { return }
        for line in unused..<max(unused, left.line) { free.append(UInt32(line)) }
        guard set(left.line, inode: left.inode, names: left.names) else { return }
        unused = left.line + 1
        table[left.line].progress = progress
        confirm(left.line)
    }

    func has(_ left: Left) -> Bool {
        left.line < table.count && table[left.line].state == 1 && table[left.line].inode == left.inode
    }

    /// Where the progress of a subscriber is noted.
    package func note(_ line: Int) -> VarlinkWriteNote? {
        guard let base = table.baseAddress, let progress = MemoryLayout.offset(of: \Slot.progress) else {
            return nil
        }
        let place = UnsafeMutableRawPointer(base + line) + progress
        return VarlinkWriteNote(
            entry: UInt64(line + 1), progress: place.assumingMemoryBound(to: belfry_progress.self), flight: flight)
    }

    /// From now on the next process finds the subscriber.
    package func confirm(_ line: Int) { belfry_publish(&table[line].state, 1) }

    /// Removes a subscriber.
    package mutating func remove(_ line: Int, names: Set<UTF8Text>?) {
        belfry_publish(&table[line].state, 0)
        if flight.pointee.entry == UInt64(line + 1) { belfry_publish(&flight.pointee.entry, 0) }
        if let names { filters.remove(names) }
        free.append(UInt32(line))
    }

    /// What an earlier process left. Has to be asked once, before anything is added.
    package mutating func take(_ ring: NotificationRing) throws(HandoffMemoryError) -> [Left] {
        var found: [Left] = []
        for line in table.indices where table[line].state != 0 {
            let entry = table[line]
            guard entry.state == 1 else { throw .corrupt("table of subscribers") }
            let place = FilterStore.Place(block: entry.block, length: entry.length)
            let names = entry.block == 0 ? nil : try filters.take(place)
            for line in unused..<line { free.append(UInt32(line)) }
            unused = line + 1
            let progress = progress(of: line, names, ring)
            if let progress { table[line].progress = progress }
            found.append(Left(line: line, inode: entry.inode, names: names, progress: progress))
        }
        belfry_publish(&flight.pointee.entry, 0)
        return found
    }

    private func progress(of line: Int, _ names: Set<UTF8Text>?, _ ring: NotificationRing) -> belfry_progress? {
        guard flight.pointee.entry == UInt64(line + 1) else { return table[line].progress }
        return flight.pointee.before.advanced(by: Int(belfry_flight_bytes(flight)), names, ring)
    }

    private mutating func set(_ line: Int, inode: UInt64, names: Set<UTF8Text>?) -> Bool {
        var place = FilterStore.Place(block: 0, length: 0)
        if let names {
            guard let added = filters.add(names) else { return false }
            place = added
        }
        table[line] = Slot(inode: inode, block: place.block, length: place.length)
        return true
    }
}

/// A line of the table of subscribers. It counts when `state` says so.
package nonisolated struct Slot {
    /// 0 for a free line, else 1.
    var state: UInt64 = 0
    /// Of the socket (stat(2)): names of descriptors are used again.
    var inode: UInt64 = 0
    var progress = belfry_progress()
    /// The first block with the names that were asked for, counted from 1; 0 stands for all names.
    var block: UInt32 = 0
    /// How many bytes they take there.
    var length: UInt32 = 0
    var reserved: (UInt64, UInt64, UInt64) = (0, 0, 0)
}

/// The names that subscribers asked for, in blocks of memory that outlives the process. Those who asked for the same
/// share them.
package nonisolated struct FilterStore {
    /// Where names stand.
    struct Place: Equatable {
        var block: UInt32
        var length: UInt32
    }

    private struct Use {
        let place: Place
        var count: Int
    }

    private let memory: UnsafeMutableRawBufferPointer
    private var isUsed: [Bool]
    private var uses: [Set<UTF8Text>: Use] = [:]

    package init(_ memory: UnsafeMutableRawBufferPointer) {
        self.memory = memory
        isUsed = []
    }

    private var capacity: Int { memory.count / HandoffLayout.blockSize }

    /// Stores names, or finds them stored; nil when there is no room.
    mutating func add(_ names: Set<UTF8Text>) -> Place? {
        if let use = uses[names] {
            uses[names]?.count += 1
            return use.place
        }
        let bytes = Self.encoded(names)
        guard let first = room(for: Self.blocks(bytes.count)) else { return nil }
        let start = first * HandoffLayout.blockSize
        bytes.withUnsafeBytes { UnsafeMutableRawBufferPointer(rebasing: memory[start...]).copyMemory(from: $0) }
        let place = Place(block: UInt32(first + 1), length: UInt32(bytes.count))
        use(names, place)
        return place
    }

    /// Reads names that an earlier process stored, and keeps their place for them.
    mutating func take(_ place: Place) throws(HandoffMemoryError) -> Set<UTF8Text> {
        let first = Int(place.block) - 1
        let last = first + Self.blocks(Int(place.length))
        guard first >= 0, last <= capacity else { throw .corrupt("filter") }
        let start = first * HandoffLayout.blockSize
        guard let names = Self.decoded(memory[start..<start + Int(place.length)]) else { throw .corrupt("filter") }
        if uses[names] == nil { use(names, place) } else { uses[names]?.count += 1 }
        return names
    }

    /// A subscriber who asked for these names has gone.
    mutating func remove(_ names: Set<UTF8Text>) {
        guard let use = uses[names] else { return }
        uses[names]?.count -= 1
        guard use.count == 1 else { return }
        uses[names] = nil
        mark(use.place, false)
    }

    private mutating func use(_ names: Set<UTF8Text>, _ place: Place) {
        uses[names] = Use(place: place, count: 1)
        mark(place, true)
    }

    private mutating func mark(_ place: Place, _ used: Bool) {
        let first = Int(place.block) - 1
        let end = first + Self.blocks(Int(place.length))
        if isUsed.count < end { isUsed += Array(repeating: false, count: end - isUsed.count) }
        for block in first..<end { isUsed[block] = used }
    }

    /// The first of so many free blocks in a row.
    private func room(for blocks: Int) -> Int? {
        var first = 0
        for (block, used) in isUsed.enumerated() {
            if used { first = block + 1 } else if block - first + 1 == blocks { return first }
        }
        return first + blocks <= capacity ? first : nil
    }

    private static func blocks(_ length: Int) -> Int {
        max(1, (length + HandoffLayout.blockSize - 1) / HandoffLayout.blockSize)
    }

    /// Each name after its length in a byte: a name has at most 255.
    private static func encoded(_ names: Set<UTF8Text>) -> [UInt8] {
        names.flatMap { [UInt8(truncatingIfNeeded: $0.string.utf8.count)] + Array($0.string.utf8) }
    }

    private static func decoded(_ bytes: Slice<UnsafeMutableRawBufferPointer>) -> Set<UTF8Text>? {
        var names: Set<UTF8Text> = []
        var rest = bytes[...]
        while let length = rest.popFirst() {
            guard rest.count >= Int(length), let name = String(validating: rest.prefix(Int(length)), as: UTF8.self)
            else { return nil }
            names.insert(UTF8Text(name))
            rest = rest.dropFirst(Int(length))
        }
        return names
    }
}
