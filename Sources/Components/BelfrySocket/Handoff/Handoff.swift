// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryEventLoop
internal import BelfryJSON
package import BelfryListeners
internal import BelfrySystemd
internal import Varlink

/// What the socket hands over to the next process: the handoff memory and the descriptors of subscribers.
/// docs/architecture.md has a picture.
///
/// The service manager stores both, so that a restart and a `kill -9` lose no notification and no connection. Every
/// notification is stored in the memory before it is sent. Every write to a subscriber is recorded there, and during
/// the write by the kernel itself. The next process therefore knows which bytes each client has, and continues with the
/// next one.
package final class Handoff {
    /// The least number of notifications that are retained: the next process must find all that one turn of the loop
    /// posts.
    private static let minimumCapacity = 512

    /// A subscription that the next process continues.
    private struct Entry {
        let slot: Int
        var recorder: SlotRecorder?
    }

    @exclusivity(unchecked)  // nothing calls out while it is used
    private(set) var memory: HandoffMemory
    let descriptors: HandoffDescriptors
    private let bootID: String
    private let log: ServiceLog
    /// Whether `memory` continues that of an earlier process.
    private var isContinued = false
    /// Memories in the store that `memory` replaces.
    private var replaced: [HandoffMemory] = []
    private var mustClear = false
    private var entries: [ObjectIdentifier: Entry] = [:]
    private var isClosed = false

    /// Opens the memory of an earlier process, or makes a new one and logs why.
    ///
    /// - Parameters:
    ///   - parameters: how much is retained.
    ///   - bootID: memory from another boot is not used.
    ///   - descriptors: what the service manager handed over.
    ///   - log: gets the reason when an earlier memory is not used.
    /// - Throws: `SystemError` when there is no memory, or when the system failed to open that of the earlier process, which
    ///   stays stored for the next one.
    package init(
        _ parameters: SocketParameters, bootID: String, descriptors: HandoffDescriptors, log: ServiceLog
    ) throws {
        self.descriptors = descriptors
        self.bootID = bootID
        self.log = log
        let layout = HandoffLayout(ringSize: parameters.replaySize, entries: parameters.limits.connections)
        let capacity = Self.capacity(parameters.replayMax)
        var found: [HandoffMemory] = []
        for descriptor in descriptors.removeMemories() {
            do {
                found.append(try HandoffMemory(opening: descriptor, capacity: capacity, bootID: bootID))
            } catch {
                if let error = error as? SystemError, error.isSystemFailure { throw error }
                mustClear = true
                Self.report(error, to: log)
            }
        }
        guard !mustClear, let newest = found.max(by: { $0.generation < $1.generation }) else {
            memory = try HandoffMemory(layout, capacity: capacity, bootID: bootID, after: 0)
            return
        }
        isContinued = true
        memory = newest
        replaced = found.filter { $0 !== newest }
        guard newest.layout != layout else { return }
        memory = try HandoffMemory(copying: newest, layout, capacity: capacity, bootID: bootID)
        replaced.append(newest)
    }

    /// Sets how many notifications are retained from now on, as far as there is room for their bytes.
    func setReplayLimit(_ limit: Int) { memory.ring.capacity = Self.capacity(limit) }

    private static func capacity(_ replayMax: Int) -> Int { max(replayMax, minimumCapacity) }

    /// The number of the last notification of the earlier process; nil when its memory is not used.
    package var lastSequence: UInt64? { isContinued ? memory.ring.last : nil }

    /// Prepares the memory for notifications after number `last`.
    func begin(after last: UInt64) throws {
        guard memory.ring.last != last else { return }
        if isContinued {
            Self.report(HandoffMemoryError.outdated, to: log)
            memory = try HandoffMemory(memory.layout, capacity: memory.ring.capacity, bootID: bootID, after: last)
            (isContinued, mustClear, replaced) = (false, true, [])
        }
        memory.ring.clear(after: last)
    }

    /// Stores the memory, so that the next process gets it.
    func store() {
        if mustClear { descriptors.removeStoredMemories() }
        descriptors.store(memory)
        for old in replaced where old.generation % 2 != memory.generation % 2 { descriptors.remove(old) }
        replaced = []
    }

    private static func report(_ error: any Error, to log: ServiceLog) {
        log.write(.warning, "unable to continue the subscriptions of the last process: \(error)", .takeover)
    }

    // Subscriptions

    /// Whether the next process continues none.
    var isEmpty: Bool { entries.isEmpty }

    /// Stores a subscription, so that the next process continues it from notification `next` on. No reply may be
    /// waiting for the client.
    func add(_ request: VarlinkRequest, _ names: Set<UTF8Text>?, from next: UInt64, on loop: MainEventLoop) {
        let inode = HandoffDescriptors.inode(of: request.descriptor)
        guard descriptors.isAvailable, inode != 0, let slot = memory.slots.add(inode: inode, names: names) else {
            return
        }
        guard let recorder = memory.slots.recorder(of: slot), request.record(with: recorder) else {
            return memory.slots.remove(slot)
        }
        recorder.record(0, of: next)
        memory.slots.confirm(slot)
        descriptors.storeSubscriber(slot, request.descriptor, on: loop)
        entries[ObjectIdentifier(request)] = Entry(slot: slot, recorder: recorder)
    }

    /// Assigns a subscription of an earlier process to its slot, whose position stays as it is.
    func assign(_ request: VarlinkRequest, to slot: Int) { entries[ObjectIdentifier(request)] = Entry(slot: slot) }

    /// Has writes to a subscriber recorded in its slot, from the position in the slot on.
    func record(_ request: VarlinkRequest, in slot: Int) {
        guard let recorder = memory.slots.recorder(of: slot), request.record(with: recorder) else { return }
        entries[ObjectIdentifier(request)] = Entry(slot: slot, recorder: recorder)
    }

    /// Records that no notification up to number `last` will be written to a subscriber for whom nothing waits.
    func advance(_ request: VarlinkRequest, past last: UInt64) {
        guard request.queuedReplies == 0 else { return }
        entries[ObjectIdentifier(request)]?.recorder?.record(0, of: last + 1)
    }

    /// Removes a subscription, so that the next process does not continue it.
    func remove(_ request: VarlinkRequest) {
        guard !isClosed, let entry = entries.removeValue(forKey: ObjectIdentifier(request)) else { return }
        remove(entry.slot)
    }

    /// The next process is not to continue the subscription in this slot.
    func remove(_ slot: Int) {
        memory.slots.remove(slot)
        // As long as it is stored, the client would not see that we close the connection.
        descriptors.removeSubscriber(slot)
    }

    /// Ends this process's part: subscriptions that end from now on are continued by the next process.
    func close() {
        isClosed = true
        descriptors.storePending()
    }
}
