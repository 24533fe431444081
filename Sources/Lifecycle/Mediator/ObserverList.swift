// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// The observers of one name, in the order they came. Adding and removing take constant time: a removed observer
/// leaves an empty slot, and the slots are swept when half of them are empty.
final class ObserverList {
    private var slots: ContiguousArray<ObserverSlot> = []
    private var empty = 0

    var isEmpty: Bool { slots.count == empty }

    func add(_ handler: @escaping (LifecycleNotification) -> Void) -> ObserverSlot {
        let slot = ObserverSlot(handler)
        slots.append(slot)
        return slot
    }

    func remove(_ slot: ObserverSlot) {
        guard slot.handler != nil else { return }
        slot.handler = nil
        empty += 1
        guard empty > 16, empty * 2 > slots.count else { return }
        slots.removeAll { $0.handler == nil }
        empty = 0
    }

    /// Calls the observers that were there when the call began and have not ended since.
    func call(_ notification: LifecycleNotification) {
        for slot in slots { slot.handler?(notification) }
    }
}
