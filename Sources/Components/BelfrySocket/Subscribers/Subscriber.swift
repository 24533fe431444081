// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryJSON
internal import Varlink

/// A subscription. It has no queue: what it has not got is in the ring, as long as it is there.
final class Subscriber {
    /// What it gets next.
    struct Position {
        /// The place of the notification.
        var cursor: NotificationRing.Cursor
        /// How many bytes of it were sent.
        var written = 0
    }

    enum State {
        /// It has got everything up to `pending` of its group.
        case current
        /// The kernel had no room for everything.
        case behind(Position)
        case over
    }

    let request: VarlinkRequest
    let group: SubscriberGroup
    var state = State.current
    /// Whether calls wait for it.
    var isAwaited = false
    /// The place in the list that it is in.
    fileprivate var index = 0

    init(_ request: VarlinkRequest, _ group: SubscriberGroup) {
        self.request = request
        self.group = group
    }

    /// What it gets next; nil unless it is behind.
    var position: Position? { if case .behind(let position) = state { position } else { nil } }
}

/// The subscribers that asked for the same names.
final class SubscriberGroup {
    /// Nil stands for all names.
    let names: Set<UTF8Text>?
    /// Here and not in the closures of a request, which take no memory as long as they have one reference.
    private(set) weak var list: SubscriberList?
    /// Those that are not behind.
    var current = Subscribers()
    /// The first notification that they have not got, in this turn of the loop.
    var pending: NotificationRing.Cursor?
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

    /// Removes a subscriber; the last one gets its place.
    mutating func remove(_ subscriber: Subscriber) {
        let last = all.removeLast()
        guard last !== subscriber else { return }
        all[subscriber.index] = last
        last.index = subscriber.index
    }
}
