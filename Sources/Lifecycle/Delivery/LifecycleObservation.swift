// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// An observation of notifications or events. It ends when this is cancelled or dropped.
@MainActor
public final class LifecycleObservation {
    private var end: (() -> Void)?

    init(_ end: @escaping () -> Void) { self.end = end }

    /// Ends the observation: the observer is not called again, not even for what is being told.
    public func cancel() {
        guard let end else { return }
        self.end = nil
        end()
    }

    isolated deinit { cancel() }
}

/// Keeps an observation for as long as its stream is read.
final class ObservationHolder {
    var observation: LifecycleObservation?
}

/// Observers in the order they came. Adding and removing take constant time: a removed observer leaves an empty place,
/// and the places are closed up when half of them are empty.
///
/// A call allocates nothing and counts no references: the list owns its observers, and lets none go while it calls.
nonisolated final class ObserverList {
    /// An observer, and its place in the list.
    final class Observer {
        fileprivate let handler: (LifecycleNotification) -> Void
        fileprivate var index: Int
        @exclusivity(unchecked) fileprivate var isEnded = false

        fileprivate init(_ handler: @escaping (LifecycleNotification) -> Void, index: Int) {
            self.handler = handler
            self.index = index
        }
    }

    // Nothing calls out while it uses these, and a post should not pay for the proof at run time.
    /// Each retained once for its place.
    @exclusivity(unchecked) private var places: ContiguousArray<Unmanaged<Observer>?> = []
    @exclusivity(unchecked) private var emptyCount = 0
    /// How many calls are under way, one within the other. Nobody moves or goes meanwhile.
    @exclusivity(unchecked) private var callsUnderWay = 0
    /// Removed during a call, to go when it has ended.
    @exclusivity(unchecked) private var leaving: [Observer] = []

    deinit { for case let observer? in places { observer.release() } }

    func add(_ handler: @escaping (LifecycleNotification) -> Void) -> Observer {
        let observer = Observer(handler, index: places.count)
        places.append(.passRetained(observer))
        return observer
    }

    func remove(_ observer: Observer) {
        guard !observer.isEnded else { return }
        observer.isEnded = true
        if callsUnderWay == 0 { vacate(observer) } else { leaving.append(observer) }
    }

    /// Whether there is nobody to call.
    var isEmpty: Bool { places.count == emptyCount }

    /// Makes ready to call those who are here now. To be followed by `call(_:upTo:)` in any case.
    func beginCall() -> Int {
        callsUnderWay += 1
        return places.count
    }

    @inline(__always)
    /// Calls those who were here when `beginCall()` returned `count`, and are still.
    func call(_ notification: LifecycleNotification, upTo count: Int) {
        var index = 0
        while index < count {
            if let observer = places[index] {
                observer._withUnsafeGuaranteedRef { if !$0.isEnded { $0.handler(notification) } }
            }
            index += 1
        }
        callsUnderWay -= 1
        if callsUnderWay == 0, !leaving.isEmpty { vacateLeaving() }
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
        // Last, since the end of what its handler held may remove other observers from here.
        place?.release()
    }

    private func closeUp() {
        places.removeAll { $0 == nil }
        emptyCount = 0
        for (index, place) in places.enumerated() { place?._withUnsafeGuaranteedRef { $0.index = index } }
    }
}
