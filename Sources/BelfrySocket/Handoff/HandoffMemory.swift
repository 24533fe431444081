// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import BelfryLinux
internal import BelfrySystemd
internal import CBelfry
internal import Glibc

/// What the next process needs to go on with the subscribers of this one: the last notifications, and how far each
/// subscriber has been written to, in one memory.
package final class HandoffMemory {
    /// The last notifications.
    @exclusivity(unchecked)  // nothing calls out while it is changed
    package var ring: NotificationRing
    /// Who is written to.
    package var subscribers: SlotTable
    /// What an earlier process left, if it is taken over.
    package private(set) var left: [SlotTable.Left] = []
    /// The room that there is.
    package let layout: HandoffLayout
    private let memory: MemoryFile
    private let header: UnsafeMutablePointer<HandoffLayout.Header>

    /// Makes an empty one.
    ///
    /// - Parameters:
    ///   - layout: how much room there is.
    ///   - capacity: how many notifications are kept at the most.
    ///   - bootID: 32 hexadecimal digits.
    ///   - last: the number of the notification before the first that will be added.
    package convenience init(
        _ layout: HandoffLayout, capacity: Int, bootID: String, after last: UInt64
    ) throws(SystemError) {
        let memory = try MemoryFile(size: layout.size)
        memory.base.storeBytes(
            of: HandoffLayout.Header(layout, boot: IdentifierWords(bootID)), as: HandoffLayout.Header.self)
        self.init(memory, layout, capacity)
        ring.clear(after: last)
    }

    /// Takes over what an earlier process left. It is closed when it cannot be used.
    ///
    /// - Throws: `HandoffMemoryError` or `SystemError`.
    package convenience init(taking descriptor: Int32, capacity: Int, bootID: String) throws {
        let memory = try MemoryFile(taking: descriptor)
        guard memory.size >= MemoryLayout<HandoffLayout.Header>.size else { throw HandoffMemoryError.foreign }
        let header = memory.base.load(as: HandoffLayout.Header.self)
        let layout = try HandoffLayout(header, size: memory.size)
        guard header.boot == IdentifierWords(bootID) else { throw HandoffMemoryError.boot }
        self.init(memory, layout, capacity)
        try ring.check()
        left = try subscribers.take(ring)
    }

    /// Makes one with other room, and copies another one into it, as far as there is room.
    package convenience init(
        copying other: HandoffMemory, _ layout: HandoffLayout, capacity: Int, bootID: String
    ) throws(SystemError) {
        try self.init(layout, capacity: capacity, bootID: bootID, after: other.ring.oldest - 1)
        header.pointee.generation = other.generation + 1
        other.ring.forEach(from: other.ring.oldest) {
            ring.append(name: $0.name, message: $0.message)
            return true
        }
        for subscriber in other.left { subscribers.copy(subscriber) }
        left = other.left.filter { subscribers.has($0) }
    }

    private init(_ memory: MemoryFile, _ layout: HandoffLayout, _ capacity: Int) {
        self.memory = memory
        self.layout = layout
        let base = memory.base
        header = base.bindMemory(to: HandoffLayout.Header.self, capacity: 1)
        ring = NotificationRing(
            UnsafeMutableRawBufferPointer(start: base + layout.ringStart, count: layout.ringSize),
            ends: layout.part(\.ring, of: base), capacity: capacity)
        subscribers = SlotTable(
            UnsafeMutableBufferPointer(
                start: (base + layout.entryStart).bindMemory(to: Slot.self, capacity: layout.entries),
                count: layout.entries),
            flight: layout.part(\.flight, of: base),
            filters: FilterStore(
                UnsafeMutableRawBufferPointer(
                    start: base + layout.blockStart, count: layout.blocks * HandoffLayout.blockSize)))
    }

    /// What it can be stored as.
    package var descriptor: Int32 { memory.descriptor }

    /// Of two the one to go on with is that with the higher number.
    package var generation: UInt64 { header.pointee.generation }
}

/// A file in memory that can be handed to the next process, mapped into this one. Its size never changes.
package final class MemoryFile {
    /// The file. Open for as long as this lives.
    package let descriptor: Int32
    /// The first byte of what it holds; what is stored there is in the file at once.
    package let base: UnsafeMutableRawPointer
    /// Bytes in all.
    package let size: Int

    /// Makes one, all zeros.
    package init(size: Int) throws(SystemError) {
        descriptor = try SystemError.check(
            belfry_memory_file("belfry-state", UInt64(size)), verb: "make", object: "memory file")
        self.size = size
        base = try Self.map(descriptor, size)
    }

    /// Takes one over, and closes it when that does not work.
    package init(taking descriptor: Int32) throws(SystemError) {
        self.descriptor = descriptor
        let length = belfry_memory_file_size(descriptor)
        guard length > 0 else {
            Glibc.close(descriptor)
            throw SystemError(length < 0 ? Int32(clamping: length) : EINVAL, verb: "take over", object: "memory file")
        }
        size = Int(length)
        base = try Self.map(descriptor, size)
    }

    isolated deinit {
        munmap(base, size)
        Glibc.close(descriptor)
    }

    private static func map(_ descriptor: Int32, _ size: Int) throws(SystemError) -> UnsafeMutableRawPointer {
        let address = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0)
        guard let address, address != MAP_FAILED else {
            let error = SystemError.last(verb: "map", object: "memory file")
            Glibc.close(descriptor)
            throw error
        }
        // The kernel stores what it took of a write in this page. A process that is being killed cannot wait for it.
        mlock(address, 4096)
        return address
    }
}

/// What makes memory that was handed over unfit to go on with.
package nonisolated enum HandoffMemoryError: Error, Equatable, CustomStringConvertible {
    /// It is not of this service, or not what it says.
    case foreign
    /// Another build wrote it in another way.
    case version(UInt64)
    /// It is of another boot.
    case boot
    /// It contradicts itself.
    case corrupt(String)
    /// The numbers of notifications have gone on without it.
    case outdated

    package var description: String {
        switch self {
        case .foreign: "it is not ours"
        case .version(let version): "it has format \(version), not \(HandoffLayout.version)"
        case .boot: "it is of another boot"
        case .corrupt(let what): "its \(what) is corrupt"
        case .outdated: "notifications were counted without it"
        }
    }
}
