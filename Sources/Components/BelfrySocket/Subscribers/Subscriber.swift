// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryJSON
internal import Varlink

/// A subscription. It has no queue: what it has not got is in the ring, as long as it is there.
final class Subscriber {
    enum State {
        /// It has got everything.
        case current
        /// It gets the notification at this place of the ring next.
        case behind(NotificationRing.Cursor)
        case over
    }

    let request: VarlinkRequest
    let group: SubscriberGroup
    var state = State.current
    /// The place in the list that it is in.
    fileprivate var index = 0

    init(_ request: VarlinkRequest, _ group: SubscriberGroup) {
        self.request = request
        self.group = group
    }

    /// The place of what it gets next; nil unless it is behind.
    var place: NotificationRing.Cursor? { if case .behind(let place) = state { place } else { nil } }
}

/// The subscribers that asked for the same names.
final class SubscriberGroup {
    /// Nil stands for all names.
    let names: Set<UTF8Text>?
    /// The handlers of a request reach the list through its subscriber: Swift allocates a context for a closure that
    /// refers to two objects, and none for one that refers to one. The list forgets the group with the last subscriber,
    /// when the server closes at the latest.
    let list: SubscriberList
    /// Those that are not behind.
    @exclusivity(unchecked)  // nothing calls out while it is changed
    var current = Subscribers()
    /// All of them.
    var count = 0

    init(_ names: Set<UTF8Text>?, of list: SubscriberList) {
        self.names = names
        self.list = list
    }
}

/// Subscribers without an order. A subscriber is in one such list.
struct Subscribers {
    private(set) var all: [Subscriber] = []

    mutating func insert(_ subscriber: Subscriber) {
        subscriber.index = all.count
        all.append(subscriber)
    }

    /// Removes one of them.
    mutating func removeAny() -> Subscriber? { all.popLast() }

    /// Removes a subscriber; the last one gets its place.
    mutating func remove(_ subscriber: Subscriber) {
        let last = all.removeLast()
        guard last !== subscriber else { return }
        all[subscriber.index] = last
        last.index = subscriber.index
    }
}
