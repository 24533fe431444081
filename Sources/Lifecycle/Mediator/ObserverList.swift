// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// The observers of one name, in the order they came. Adding and removing take constant time: a removed observer
/// leaves an empty place, and the places are closed up when half of them are empty.
final class ObserverList {
    /// Which place an observer has, and whether it still has it.
    final class Place {
        fileprivate var index: Int
        fileprivate var isEnded = false

        fileprivate init(index: Int) { self.index = index }
    }

    struct Observer {
        fileprivate let handler: (LifecycleNotification) -> Void
        fileprivate let place: Place

        /// What an observer leaves behind: nothing of what its handler held.
        fileprivate static func gone(_ place: Place) -> Observer { Observer(handler: { _ in }, place: place) }
    }

    /// Who is there. A copy keeps the handlers alive for as long as calls take, whatever they add and remove.
    private(set) var observers: ContiguousArray<Observer> = []
    private var gone = 0

    func add(_ handler: @escaping (LifecycleNotification) -> Void) -> Place {
        let place = Place(index: observers.count)
        observers.append(Observer(handler: handler, place: place))
        return place
    }

    func remove(_ place: Place) {
        guard !place.isEnded else { return }
        place.isEnded = true
        // What the handler held goes last: its end may remove other observers from here.
        let ended = observers[place.index]
        defer { withExtendedLifetime(ended) {} }
        observers[place.index] = .gone(place)
        gone += 1
        guard gone > 16, gone * 2 > observers.count else { return }
        observers.removeAll(where: \.place.isEnded)
        for (index, observer) in observers.enumerated() { observer.place.index = index }
        gone = 0
    }

    /// Calls those of `observers` that have not ended since the copy was made.
    static func call(_ observers: ContiguousArray<Observer>, _ notification: LifecycleNotification) {
        for index in observers.indices where !observers[index].place.isEnded { observers[index].handler(notification) }
    }
}
