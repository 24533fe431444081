// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryConfiguration
internal import BelfryJSON
internal import Lifecycle
internal import Varlink

/// The subscribers of the socket. A notification is encoded once and stored in the ring, from which all of them get it.
final class SubscriberList {
    /// How many names a subscriber may ask for, and their bytes.
    private static let longestFilter = (names: 256, bytes: 4096)

    private var parameters: SocketParameters
    private let server: VarlinkServer
    private let retained: RetainedNotifications
    private let clients: ClientLog
    @exclusivity(unchecked)  // nothing calls out while it is used
    private var index = SubscriberIndex()
    @exclusivity(unchecked)  // nothing calls out while it is used
    private var encoder: NotificationEncoder
    @exclusivity(unchecked)  // nothing calls out while it is changed
    private var behind = Subscribers()
    /// The number of a notification that all who are behind have still to get, if the ring has it; nil when nobody is
    /// behind.
    private var lowest: UInt64?
    /// The last one that was made.
    private var piece: NotificationPiece?

    /// - Parameter clients: gets a record of each client without permission.
    init(
        on server: VarlinkServer, bootID: String, _ parameters: SocketParameters, _ retained: RetainedNotifications,
        _ clients: ClientLog
    ) {
        self.server = server
        encoder = NotificationEncoder(bootID: bootID)
        self.parameters = parameters
        self.retained = retained
        self.clients = clients
    }

    /// How many subscriptions ended since the start because the client did not read.
    private(set) var overruns = 0

    /// How many there are.
    private(set) var count = 0

    /// How many get the notifications of a name.
    func count(wanting name: LifecycleNotification.Name) -> Int {
        index.filtered(wanting: name).reduce(index.unfiltered?.count ?? 0) { $0 + $1.count }
    }

    /// The number of the oldest notification that a subscriber may get from memory, or of the next one.
    private var oldest: UInt64 {
        let ring = retained.ring
        let reach = UInt64(parameters.socket.replayMax)
        return max(ring.oldest, ring.last >= reach ? ring.last - reach + 1 : 1)
    }

    /// Begins a subscription: the client gets the state, then past notifications after number `after`, then new ones.
    func add(_ request: VarlinkRequest, names: [String]?, after: Int64?, state: @escaping () -> JSONObject) {
        if let names {
            let bytes = names.reduce(0) { $0 + $1.utf8.count + 1 }
            guard names.count <= Self.longestFilter.names, bytes <= Self.longestFilter.bytes else {
                return request.fail(.invalidParameter("names"))
            }
            if let none = names.first(where: { LifecycleNotification.Name($0) == nil }) {
                return request.fail("io.belfry.Lifecycle.InvalidName", ["name": .string(none)])
            }
        }
        let last = retained.ring.last
        let next = after.map { min(UInt64(clamping: $0), last) + 1 } ?? last + 1
        guard next > last || next >= oldest, let cursor = retained.ring.cursor(before: next) else {
            return request.fail("io.belfry.Lifecycle.NotRetained", ["oldest": .int(Int64(clamping: oldest))])
        }
        request.reply(["state": .object(state())], continues: true)
        guard request.isActive else { return }
        let subscriber = Subscriber(request, group(of: names.map { Set($0.map { UTF8Text($0) }) }))
        subscriber.group.count += 1
        count += 1
        request.onCancel = { subscriber.group.list.remove(subscriber) }
        request.onDrained = { subscriber.group.list.next(for: subscriber) }
        // What it did not ask for may give way before it reads.
        let place = piece(for: subscriber.group.names, from: cursor).first
        if place.sequence > last { subscriber.group.current.insert(subscriber) } else { setBehind(subscriber, place) }
    }

    private func group(of names: Set<UTF8Text>?) -> SubscriberGroup {
        if let known = index[names] { return known }
        let group = SubscriberGroup(names, of: self)
        index.add(group)
        return group
    }

    /// Sends a notification to all who asked for its name.
    func send(_ notification: LifecycleNotification) {
        let name = notification.name
        encoder.encode(notification)
        let place = retained.ring.end
        retained.append(name: name.rawValue, message: encoder.message)
        server.writeAtOnce {
            if let group = index.unfiltered { setBehind(group, place) }
            for group in index.filtered(wanting: name) { setBehind(group, place) }
            if let lowest, lowest < retained.ring.oldest { endRemoved() }
        }
    }

    /// Applies a new configuration, which ends the subscriptions of clients who may no longer subscribe.
    func apply(_ new: SocketParameters) {
        parameters = new
        retained.setLimit(new.socket.replayMax)
        let refused = (index.all.flatMap(\.current.all) + behind.all)
            .filter { !new.access.admits($0.request, to: .look, clients) }
        guard !refused.isEmpty else { return }
        // What came before is theirs.
        server.writeNow()
        for subscriber in refused {
            remove(subscriber)
            subscriber.request.fail(.permissionDenied)
        }
    }

    private func setBehind(_ group: SubscriberGroup, _ place: NotificationRing.Cursor) {
        while let subscriber = group.current.removeAny() { setBehind(subscriber, place) }
    }

    private func setBehind(_ subscriber: Subscriber, _ place: NotificationRing.Cursor) {
        subscriber.state = .behind(place)
        behind.insert(subscriber)
        lowest = min(lowest ?? .max, place.sequence)
        subscriber.request.wake()
    }

    /// What a subscriber gets that has got everything before; nil if there is nothing for now.
    private func next(for subscriber: Subscriber) -> VarlinkEncodedReply? {
        guard let place = subscriber.place else { return nil }
        let next = piece(for: subscriber.group.names, from: place)
        if next.end.sequence > retained.ring.last {
            behind.remove(subscriber)
            subscriber.state = .current
            subscriber.group.current.insert(subscriber)
            if behind.all.isEmpty { lowest = nil }
        } else {
            subscriber.state = .behind(next.end)
            if next.replies == nil { subscriber.request.wake() }
        }
        return next.replies
    }

    private func piece(for names: Set<UTF8Text>?, from place: NotificationRing.Cursor) -> NotificationPiece {
        if let piece, piece.isMade(for: names, from: place, in: retained.ring) { return piece }
        let made = NotificationPiece(names, from: place, in: retained.ring)
        piece = made
        return made
    }

    /// Ends the subscriptions whose next notification is not in the ring any more.
    private func endRemoved() {
        let ring = retained.ring
        for subscriber in behind.all {
            guard let place = subscriber.place, place.sequence < ring.oldest else { continue }
            overruns += 1
            remove(subscriber)
            let missed = JSONValue.int(Int64(clamping: ring.last + 1 - place.sequence))
            subscriber.request.fail("io.belfry.Lifecycle.Overrun", ["dropped": missed])
        }
        lowest = behind.all.lazy.compactMap { $0.place?.sequence }.min()
    }

    private func remove(_ subscriber: Subscriber) {
        let group = subscriber.group
        switch subscriber.state {
        case .current: group.current.remove(subscriber)
        case .behind: behind.remove(subscriber)
        case .over: return
        }
        subscriber.state = .over
        count -= 1
        group.count -= 1
        if group.count == 0 { index.remove(group) }
    }
}
