// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import BelfryJSON
internal import CBelfry

/// The last notifications, encoded as they are sent, in memory that outlives the process. It holds as many as its bytes
/// allow, and at most a given number.
///
/// Records follow each other without a gap; a record that does not fit before the end is stored at the start. The order
/// of the stores keeps the ring valid at every moment, as the process may be killed between any two instructions.
package nonisolated struct NotificationRing {
    /// Where the records begin and end, counted in bytes since the ring was made, and the number of the last
    /// notification, even if the ring does not hold it.
    package struct Ends {
        var head: UInt64 = 0
        var tail: UInt64 = 0
        var last: UInt64 = 0
    }

    /// A place between two notifications.
    package struct Cursor {
        /// Counted in bytes since the ring was made.
        fileprivate let place: UInt64
        /// The number of the notification that comes next.
        package let sequence: UInt64
    }

    /// A notification in the ring. Its bytes are valid until the next one is added.
    package struct Record {
        /// Its number.
        package let sequence: UInt64
        /// Its name, in UTF-8.
        package let name: UnsafeRawBufferPointer
        /// The reply as it is sent.
        package let message: UnsafeRawBufferPointer
        /// The place after it.
        package let end: Cursor
    }

    /// What precedes a record. A sequence of 0 means that the next record is at the start of the memory.
    private struct Mark {
        let sequence: UInt64
        let messageSize: UInt32
        let nameSize: UInt32
    }

    private static let limit: UInt64 = 1 << 62

    private let ends: UnsafeMutablePointer<Ends>
    private let base: UnsafeMutableRawPointer
    private let size: UInt64
    /// How many notifications it holds at most.
    package var capacity: Int
    private var count = 0

    /// A ring over memory whose size is a multiple of 16.
    package init(_ memory: UnsafeMutableRawBufferPointer, ends: UnsafeMutablePointer<Ends>, capacity: Int) {
        self.ends = ends
        self.capacity = capacity
        base = memory.baseAddress ?? UnsafeMutableRawPointer(ends)
        size = UInt64(memory.count)
    }

    /// Removes everything. The next notification follows number `last`.
    package mutating func clear(after last: UInt64) {
        belfry_publish(&ends.pointee.head, ends.pointee.tail)
        belfry_publish(&ends.pointee.last, last)
        count = 0
    }

    /// Checks what an earlier process stored, and counts it.
    package mutating func check() throws(RingFileError) {
        let ends = ends.pointee
        // No count reaches the limit; beyond it sums would overflow.
        guard ends.tail < Self.limit, ends.last < Self.limit, ends.head <= ends.tail, ends.tail - ends.head <= size,
            ends.head.isMultiple(of: 16)
        else { throw .corrupt }
        count = 0
        var place = ends.head
        var previous: UInt64?
        while place < ends.tail {
            guard let record = record(at: place), record.sequence == previous.map({ $0 + 1 }) ?? record.sequence else {
                throw .corrupt
            }
            count += 1
            previous = record.sequence
            place = record.end.place
        }
        // The process may have been killed after it stored the record and before it stored the number.
        if let previous, previous == ends.last + 1 { self.ends.pointee.last = previous }
        guard place == ends.tail, previous.map({ $0 == self.ends.pointee.last }) ?? true else { throw .corrupt }
    }

    /// The number of the last notification, even if the ring does not hold it.
    package var last: UInt64 { ends.pointee.last }

    /// The number of the oldest notification in the ring, or of the next one when the ring is empty.
    package var oldest: UInt64 { last + 1 - UInt64(count) }

    /// How many bytes a notification takes; nil when it is too long for the ring.
    private func cost(name: Int, message: Int) -> Int? {
        let cost = MemoryLayout<Mark>.size + (name + message + 15) / 16 * 16
        return cost <= size / 2 ? cost : nil
    }

    /// Where the next record begins if it takes so many bytes.
    private func start(of cost: UInt64) -> UInt64 {
        let (tail, rest) = (ends.pointee.tail, size - ends.pointee.tail % size)
        return cost > rest ? tail + rest : tail
    }

    /// Adds the notification that follows the last one. One that is too long for the ring empties it.
    package mutating func append(name: UnsafeRawBufferPointer, message: UnsafeRawBufferPointer) {
        let sequence = last + 1
        guard capacity > 0, let cost = cost(name: name.count, message: message.count).map(UInt64.init) else {
            return clear(after: sequence)
        }
        let start = start(of: cost)
        while count > 0, count >= capacity || start + cost - ends.pointee.head > size { removeOldest() }
        if count == 0 { belfry_publish(&ends.pointee.head, ends.pointee.tail) }
        if start > ends.pointee.tail {
            let end = Mark(sequence: 0, messageSize: 0, nameSize: 0)
            (base + Int(ends.pointee.tail % size)).storeBytes(of: end, as: Mark.self)
        }
        let mark = Mark(sequence: sequence, messageSize: UInt32(message.count), nameSize: UInt32(name.count))
        let offset = Int(start % size)
        (base + offset).storeBytes(of: mark, as: Mark.self)
        let content = base + offset + MemoryLayout<Mark>.size
        UnsafeMutableRawBufferPointer(start: content, count: name.count).copyMemory(from: name)
        UnsafeMutableRawBufferPointer(start: content + name.count, count: message.count).copyMemory(from: message)
        belfry_publish(&ends.pointee.tail, start + cost)
        belfry_publish(&ends.pointee.last, sequence)
        count += 1
    }

    mutating func append(name: String, message: UnsafeRawBufferPointer) {
        var name = name
        name.withUTF8 { append(name: UnsafeRawBufferPointer($0), message: message) }
    }

    /// The place before the oldest notification.
    package var begin: Cursor { Cursor(place: ends.pointee.head, sequence: oldest) }

    /// The place after the last notification.
    package var end: Cursor { Cursor(place: ends.pointee.tail, sequence: last + 1) }

    /// The place before the notification with this number; nil if the ring does not hold it and it is not the next one.
    package func cursor(before sequence: UInt64) -> Cursor? {
        guard sequence >= oldest, sequence <= last + 1 else { return nil }
        if sequence == last + 1 { return end }
        var cursor = begin
        while cursor.sequence < sequence, let record = record(at: cursor) { cursor = record.end }
        return cursor
    }

    /// The notification at a place; nil after the last one. The ring holds it.
    package func record(at cursor: Cursor) -> Record? {
        cursor.place < ends.pointee.tail ? record(at: cursor.place) : nil
    }

    private mutating func removeOldest() {
        guard let record = record(at: ends.pointee.head) else { return clear(after: last) }
        count -= 1
        belfry_publish(&ends.pointee.head, record.end.place)
    }

    private func record(at place: UInt64) -> Record? {
        var place = place
        // One division, as this runs for every notification.
        var offset = place % size
        var mark = (base + Int(offset)).load(as: Mark.self)
        if mark.sequence == 0 {
            place += size - offset
            offset = 0
            guard place < ends.pointee.tail else { return nil }
            mark = base.load(as: Mark.self)
        }
        let (name, message) = (Int(mark.nameSize), Int(mark.messageSize))
        guard mark.sequence > 0, mark.sequence < Self.limit,
            let cost = cost(name: name, message: message).map(UInt64.init), place + cost <= ends.pointee.tail,
            offset + cost <= size
        else { return nil }
        let content = UnsafeRawPointer(base) + Int(offset) + MemoryLayout<Mark>.size
        return Record(
            sequence: mark.sequence, name: UnsafeRawBufferPointer(start: content, count: name),
            message: UnsafeRawBufferPointer(start: content + name, count: message),
            end: Cursor(place: place + cost, sequence: mark.sequence + 1))
    }
}

nonisolated extension NotificationRing.Record {
    /// Whether its name is among `names`; nil stands for all names.
    package func isWanted(by names: Set<UTF8Text>?) -> Bool {
        guard let names else { return true }
        return names.contains(UTF8Text(String(decoding: name, as: UTF8.self)))
    }
}
