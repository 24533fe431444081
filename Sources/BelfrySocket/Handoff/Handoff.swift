// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import BelfryConfiguration
package import BelfryListeners
internal import BelfrySystemd

/// What the socket carries over from one process to the next: the descriptors, and the memory that explains them.
package final class Handoff {
    /// Fewer are kept for nobody: what is posted in one turn must be found by the next process.
    private static let least = 512

    @exclusivity(unchecked)  // nothing calls out while it is used
    private(set) var state: HandoffMemory
    let descriptors: HandoffDescriptors
    private let bootID: String
    private let log: ServiceLog
    /// Whether `state` is an earlier process's.
    private var isTaken = false
    /// Whether the store holds what `state` has taken the place of.
    private var replaces: [HandoffMemory] = []
    private var mustClear = false

    /// Takes over what an earlier process left, or begins anew and says why.
    ///
    /// - Parameters:
    ///   - settings: how much is kept.
    ///   - bootID: what was left in another boot does not count.
    ///   - descriptors: what the service manager handed over.
    ///   - log: hears why something was not taken over.
    /// - Throws: `SystemError` when there is no memory.
    package init(
        _ settings: SocketSettings, bootID: String, descriptors: HandoffDescriptors, log: ServiceLog
    ) throws {
        self.descriptors = descriptors
        self.bootID = bootID
        self.log = log
        let layout = HandoffLayout(ringSize: settings.replaySize, entries: settings.connectionsMax)
        let capacity = Self.capacity(settings.replayMax)
        var found: [HandoffMemory] = []
        for descriptor in descriptors.takeStates() {
            do {
                found.append(try HandoffMemory(taking: descriptor, capacity: capacity, bootID: bootID))
            } catch {
                mustClear = true
                Self.tell(log, error)
            }
        }
        guard !mustClear, let newest = found.max(by: { $0.generation < $1.generation }) else {
            state = try HandoffMemory(layout, capacity: capacity, bootID: bootID, after: 0)
            return
        }
        isTaken = true
        state = newest
        replaces = found.filter { $0 !== newest }
        guard newest.layout != layout else { return }
        state = try HandoffMemory(copying: newest, layout, capacity: capacity, bootID: bootID)
        replaces.append(newest)
    }

    /// Keeps so many notifications from now on, as far as their bytes have room.
    func setReplayLimit(_ limit: Int) { state.ring.capacity = Self.capacity(limit) }

    private static func capacity(_ replayMax: Int) -> Int { max(replayMax, least) }

    /// The number of the last notification of the earlier process, if its memory was taken over.
    package var lastSequence: UInt64? { isTaken ? state.ring.last : nil }

    /// Begins to keep what follows notification `last`.
    func begin(after last: UInt64) throws {
        guard state.ring.last != last else { return }
        if isTaken {
            Self.tell(log, HandoffMemoryError.outdated)
            state = try HandoffMemory(state.layout, capacity: state.ring.capacity, bootID: bootID, after: last)
            (isTaken, mustClear, replaces) = (false, true, [])
        }
        state.ring.clear(after: last)
    }

    /// Stores the memory, so that the next process finds it.
    func store() {
        if mustClear { descriptors.removeStates() }
        descriptors.store(state)
        for old in replaces where old.generation % 2 != state.generation % 2 { descriptors.remove(old) }
        replaces = []
    }

    private static func tell(_ log: ServiceLog, _ error: any Error) {
        log.write(.warning, "unable to go on with the subscribers of the last process: \(error)", .takeover)
    }
}
