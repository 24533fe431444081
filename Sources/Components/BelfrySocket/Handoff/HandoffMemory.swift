// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import BelfryLinux
internal import BelfrySystemd
internal import CBelfry
internal import Glibc

/// What the next process needs to continue the subscriptions of this one: the last notifications, and how far each
/// subscriber has been written to. It is a memory file, which the service manager stores.
package final class HandoffMemory {
    /// The last notifications.
    @exclusivity(unchecked)  // nothing calls out while it is changed
    package var ring: NotificationRing
    /// The subscribers.
    package var slots: SlotTable
    /// The subscriptions of an earlier process.
    package private(set) var subscriptions: [SlotTable.Subscription] = []
    /// How much room there is for what.
    package let layout: HandoffLayout
    private let file: MemoryFile
    private let header: UnsafeMutablePointer<HandoffLayout.Header>

    /// Makes an empty memory.
    ///
    /// - Parameters:
    ///   - layout: how much room there is for what.
    ///   - capacity: how many notifications are retained at most.
    ///   - bootID: 32 hexadecimal digits.
    ///   - last: the number of the notification before the first one that will be added.
    package convenience init(
        _ layout: HandoffLayout, capacity: Int, bootID: String, after last: UInt64
    ) throws(SystemError) {
        let file = try MemoryFile(size: layout.size)
        file.base.storeBytes(
            of: HandoffLayout.Header(layout, boot: IdentifierWords(bootID)), as: HandoffLayout.Header.self)
        self.init(file, layout, capacity)
        ring.clear(after: last)
    }

    /// Opens the memory of an earlier process. The descriptor is closed when it cannot be used.
    ///
    /// - Throws: `HandoffMemoryError` or `SystemError`.
    package convenience init(opening descriptor: Int32, capacity: Int, bootID: String) throws {
        let file = try MemoryFile(opening: descriptor)
        guard file.size >= MemoryLayout<HandoffLayout.Header>.size else { throw HandoffMemoryError.foreign }
        let header = file.base.load(as: HandoffLayout.Header.self)
        let layout = try HandoffLayout(header, size: file.size)
        guard header.boot == IdentifierWords(bootID) else { throw HandoffMemoryError.boot }
        self.init(file, layout, capacity)
        try ring.check()
        subscriptions = try slots.load(ring)
    }

    /// Makes a memory with another layout, and copies `other` into it as far as there is room.
    package convenience init(
        copying other: HandoffMemory, _ layout: HandoffLayout, capacity: Int, bootID: String
    ) throws(SystemError) {
        try self.init(layout, capacity: capacity, bootID: bootID, after: other.ring.oldest - 1)
        header.pointee.generation = other.generation + 1
        other.ring.forEach(from: other.ring.oldest) {
            ring.append(name: $0.name, message: $0.message)
            return true
        }
        for subscription in other.subscriptions { slots.copy(subscription) }
        subscriptions = other.subscriptions.filter { slots.contains($0) }
    }

    private init(_ file: MemoryFile, _ layout: HandoffLayout, _ capacity: Int) {
        self.file = file
        self.layout = layout
        let base = file.base
        header = base.bindMemory(to: HandoffLayout.Header.self, capacity: 1)
        ring = NotificationRing(
            UnsafeMutableRawBufferPointer(start: base + layout.ringStart, count: layout.ringSize),
            ends: layout.part(\.ring, of: base), capacity: capacity)
        slots = SlotTable(
            UnsafeMutableBufferPointer(
                start: (base + layout.entryStart).bindMemory(to: Slot.self, capacity: layout.entries),
                count: layout.entries),
            names: base + layout.nameStart, write: layout.part(\.write, of: base))
    }

    /// The descriptor of the memory file.
    package var descriptor: Int32 { file.descriptor }

    /// Of two memories, the one with the higher number is the newer one.
    package var generation: UInt64 { header.pointee.generation }
}

/// A file in memory (memfd_create(2)) that can be handed to the next process, mapped into this one. Its size is sealed.
package final class MemoryFile {
    /// Open for as long as this object lives.
    package let descriptor: Int32
    /// The first byte of the mapping.
    package let base: UnsafeMutableRawPointer
    /// In bytes.
    package let size: Int

    /// Makes a file of zeros.
    package init(size: Int) throws(SystemError) {
        descriptor = try SystemError.check(
            belfry_memory_file("belfry-state", UInt64(size)), verb: "make", object: "memory file")
        self.size = size
        base = try Self.map(descriptor, size)
    }

    /// Maps an existing file. The descriptor is closed when that fails.
    package init(opening descriptor: Int32) throws(SystemError) {
        self.descriptor = descriptor
        let length = belfry_memory_file_size(descriptor)
        guard length > 0 else {
            Glibc.close(descriptor)
            throw SystemError(length < 0 ? Int32(clamping: length) : EINVAL, verb: "open", object: "memory file")
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
        // The kernel stores the result of a write in this page. It cannot fault the page in while the process is being killed.
        mlock(address, 4096)
        return address
    }
}

/// The reason why handoff memory cannot be used.
package nonisolated enum HandoffMemoryError: Error, Equatable, CustomStringConvertible {
    /// It is not handoff memory of this service.
    case foreign
    /// It has the format of another version.
    case version(UInt64)
    /// It is from another boot.
    case boot
    /// Its content is not consistent.
    case corrupt(String)
    /// Notifications were posted that it does not have.
    case outdated

    package var description: String {
        switch self {
        case .foreign: "it belongs to something else"
        case .version(let version): "it has format \(version), not \(HandoffLayout.version)"
        case .boot: "it is from another boot"
        case .corrupt(let what): "its \(what) is corrupt"
        case .outdated: "it lacks the last notifications"
        }
    }
}
