// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import BelfryJSON
package import CBelfry
package import Varlink

/// The table of subscribers in memory that outlives the process.
package nonisolated struct KeptSubscribers {
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

    private let table: UnsafeMutableBufferPointer<KeptSubscriber>
    private let flight: UnsafeMutablePointer<belfry_flight>
    private var filters: KeptFilters
    private var free: [UInt32] = []
    /// Lines from here on were never used.
    private var unused = 0

    init(
        _ table: UnsafeMutableBufferPointer<KeptSubscriber>, flight: UnsafeMutablePointer<belfry_flight>,
        filters: KeptFilters
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
        guard let base = table.baseAddress, let progress = MemoryLayout.offset(of: \KeptSubscriber.progress) else {
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
    package mutating func take(_ ring: KeptRing) throws(KeptMemoryProblem) -> [Left] {
        var found: [Left] = []
        for line in table.indices where table[line].state != 0 {
            let entry = table[line]
            guard entry.state == 1 else { throw .corrupt("table of subscribers") }
            let place = KeptFilters.Place(block: entry.block, length: entry.length)
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

    private func progress(of line: Int, _ names: Set<UTF8Text>?, _ ring: KeptRing) -> belfry_progress? {
        guard flight.pointee.entry == UInt64(line + 1) else { return table[line].progress }
        return flight.pointee.before.advanced(by: Int(belfry_flight_bytes(flight)), names, ring)
    }

    private mutating func set(_ line: Int, inode: UInt64, names: Set<UTF8Text>?) -> Bool {
        var place = KeptFilters.Place(block: 0, length: 0)
        if let names {
            guard let added = filters.add(names) else { return false }
            place = added
        }
        table[line] = KeptSubscriber(inode: inode, block: place.block, length: place.length)
        return true
    }
}
