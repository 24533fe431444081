// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfrySystemd
package import BelfryLinux

/// What the next process needs to go on with the subscribers of this one: the last notifications, and how far each
/// subscriber has been written to, in one memory.
package final class KeptState {
    /// The last notifications.
    @exclusivity(unchecked)  // nothing calls out while it is changed
    package var ring: KeptRing
    /// Who is written to.
    package var subscribers: KeptSubscribers
    /// What an earlier process left, if it is taken over.
    package private(set) var left: [KeptSubscribers.Left] = []
    /// The room that there is.
    package let layout: KeptLayout
    private let memory: KeptMemory
    private let header: UnsafeMutablePointer<KeptLayout.Header>

    /// Makes an empty one.
    ///
    /// - Parameters:
    ///   - layout: how much room there is.
    ///   - capacity: how many notifications are kept at the most.
    ///   - bootID: 32 hexadecimal digits.
    ///   - last: the number of the notification before the first that will be added.
    package convenience init(
        _ layout: KeptLayout, capacity: Int, bootID: String, after last: UInt64
    ) throws(SystemError) {
        let memory = try KeptMemory(size: layout.size)
        memory.base.storeBytes(
            of: KeptLayout.Header(layout, boot: IdentifierWords(bootID)), as: KeptLayout.Header.self)
        self.init(memory, layout, capacity)
        ring.clear(after: last)
    }

    /// Takes over what an earlier process left. It is closed when it cannot be used.
    ///
    /// - Throws: `KeptMemoryProblem` or `SystemError`.
    package convenience init(taking descriptor: Int32, capacity: Int, bootID: String) throws {
        let memory = try KeptMemory(taking: descriptor)
        guard memory.size >= MemoryLayout<KeptLayout.Header>.size else { throw KeptMemoryProblem.foreign }
        let header = memory.base.load(as: KeptLayout.Header.self)
        let layout = try KeptLayout(header, size: memory.size)
        guard header.boot == IdentifierWords(bootID) else { throw KeptMemoryProblem.boot }
        self.init(memory, layout, capacity)
        try ring.check()
        left = try subscribers.take(ring)
    }

    /// Makes one with other room, and copies another one into it, as far as there is room.
    package convenience init(
        copying other: KeptState, _ layout: KeptLayout, capacity: Int, bootID: String
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

    private init(_ memory: KeptMemory, _ layout: KeptLayout, _ capacity: Int) {
        self.memory = memory
        self.layout = layout
        let base = memory.base
        header = base.bindMemory(to: KeptLayout.Header.self, capacity: 1)
        ring = KeptRing(
            UnsafeMutableRawBufferPointer(start: base + layout.ringStart, count: layout.ringSize),
            ends: layout.part(\.ring, of: base), capacity: capacity)
        subscribers = KeptSubscribers(
            UnsafeMutableBufferPointer(
                start: (base + layout.entryStart).bindMemory(to: KeptSubscriber.self, capacity: layout.entries),
                count: layout.entries),
            flight: layout.part(\.flight, of: base),
            filters: KeptFilters(
                UnsafeMutableRawBufferPointer(
                    start: base + layout.blockStart, count: layout.blocks * KeptLayout.blockSize)))
    }

    /// What it can be stored as.
    package var descriptor: Int32 { memory.descriptor }

    /// Of two the one to go on with is that with the higher number.
    package var generation: UInt64 { header.pointee.generation }
}
