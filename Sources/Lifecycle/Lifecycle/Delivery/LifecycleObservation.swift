// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// An observation of notifications or events. It ends when this object is cancelled or released; one made by `observe`
/// of a service ends only when it is cancelled.
@MainActor
public final class LifecycleObservation {
    private var end: (() -> Void)?
    /// Whether it ends when it is released.
    private var endsOnRelease = true

    init(_ end: @escaping () -> Void) { self.end = end }

    /// The same observation, which goes on when this object is released.
    package func lasting() -> LifecycleObservation {
        endsOnRelease = false
        return self
    }

    /// Ends the observation: the observer is not called again, not even for the notification that is being delivered.
    public func cancel() {
        guard let end else { return }
        self.end = nil
        end()
    }

    isolated deinit { if endsOnRelease { cancel() } }
}

/// Observers of notifications or events, in the order in which they were added. Adding and removing take constant time:
/// a removed observer leaves an empty place, and the list is compacted when half of its places are empty.
///
/// A call allocates nothing and counts no references: the list owns its observers, and releases none during a call.
nonisolated final class ObserverList<Value> {
    /// An observer, and its place in the list.
    final class Observer {
        fileprivate let handler: (Value) -> Void
        fileprivate var index: Int
        fileprivate var isEnded = false

        fileprivate init(_ handler: @escaping (Value) -> Void, index: Int) {
            self.handler = handler
            self.index = index
        }
    }

    /// Each is retained by its place.
    @exclusivity(unchecked)  // nothing calls out while it is used
    private var places: ContiguousArray<Unmanaged<Observer>?> = []
    private var emptyCount = 0
    /// The depth of nested calls. No observer is moved or released meanwhile.
    private var callsUnderWay = 0
    /// Observers that were removed during a call, to be released after it.
    @exclusivity(unchecked)  // nothing calls out while it is used
    private var leaving: [Observer] = []
    private var isEndless = false

    deinit { for case let observer? in places { observer.release() } }

    func add(_ handler: @escaping (Value) -> Void) -> Observer {
        let observer = Observer(handler, index: places.count)
        places.append(.passRetained(observer))
        return observer
    }

    func remove(_ observer: Observer) {
        guard !observer.isEnded else { return }
        observer.isEnded = true
        if callsUnderWay == 0 { vacate(observer) } else { leaving.append(observer) }
    }

    /// Whether there are no observers.
    var isEmpty: Bool { places.count == emptyCount }

    /// Whether an observer posts what leads to its next call: too many calls are within each other. It holds until the
    /// outermost has ended.
    var hasEndlessCalls: Bool {
        if callsUnderWay >= ListenerEntry.nestedCallsMax { isEndless = true }
        return isEndless
    }

    /// Prepares a call of the present observers. It must be followed by `call(_:upTo:)`.
    func beginCall() -> Int {
        callsUnderWay += 1
        return places.count
    }

    /// Calls the observers that were present when `beginCall()` returned `count`, except those removed since.
    func call(_ value: Value, upTo count: Int) {
        var index = 0
        while index < count {
            if let observer = places[index] {
                observer._withUnsafeGuaranteedRef { if !$0.isEnded { $0.handler(value) } }
            }
            index += 1
        }
        callsUnderWay -= 1
        guard callsUnderWay == 0 else { return }
        isEndless = false
        if !leaving.isEmpty { vacateLeaving() }
    }

    private func vacateLeaving() {
        let gone = leaving
        leaving = []
        for observer in gone { vacate(observer) }
    }

    private func vacate(_ observer: Observer) {
        let place = places[observer.index]
        places[observer.index] = nil
        emptyCount += 1
        if emptyCount > 16, emptyCount * 2 > places.count { closeUp() }
        // Last: releasing what the handler held may remove other observers.
        place?.release()
    }

    private func closeUp() {
        places.removeAll { $0 == nil }
        emptyCount = 0
        for (index, place) in places.enumerated() { place?._withUnsafeGuaranteedRef { $0.index = index } }
    }
}
