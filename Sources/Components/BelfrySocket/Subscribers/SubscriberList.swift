// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryConfiguration
internal import BelfryJSON
internal import BelfryListeners
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
    private let wait: SubscriberWait
    @exclusivity(unchecked)  // nothing calls out while it is used
    private var index = SubscriberIndex()
    @exclusivity(unchecked)  // nothing calls out while it is used
    private var encoder: NotificationEncoder
    /// The groups that have something pending.
    private var unsent: [SubscriberGroup] = []
    /// The first that is pending for any of them, and its bytes and those of the following ones.
    private var pending: (begin: NotificationRing.Cursor, bytes: Int)?
    private var gathered: GatheredNotifications
    private var behind = Subscribers()
    /// Nobody is further behind than this; nil when nobody is behind.
    private var lowest: NotificationRing.Cursor?

    /// - Parameters:
    ///   - wait: has calls wait for subscribers that are far behind.
    ///   - clients: gets a record of each client without permission.
    init(
        on server: VarlinkServer, bootID: String, _ parameters: SocketParameters, _ retained: RetainedNotifications,
        _ wait: SubscriberWait, _ clients: ClientLog
    ) {
        self.server = server
        self.wait = wait
        encoder = NotificationEncoder(bootID: bootID)
        gathered = GatheredNotifications(before: retained.ring.end)
        self.parameters = parameters
        self.retained = retained
        self.clients = clients
    }

    /// How many subscriptions ended since the start because the client did not read.
    private(set) var overruns = 0

    /// How many there are.
    private(set) var count = 0

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
        request.onCancel = { subscriber.group.list?.remove(subscriber) }
        guard next > last else { return setBehind(subscriber, Subscriber.Position(cursor: cursor)) }
        send(pendingOf: subscriber.group)
        subscriber.group.current.insert(subscriber)
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
        let message = encoder.message
        retained.makeRoom(name: name.rawValue, message: message)
        let oldest = retained.ring.oldest
        // What was removed can still be read now.
        if let pending, pending.begin.sequence < oldest { flush() }
        if let lowest, lowest.sequence < oldest { endRemoved() }
        let begin = retained.ring.end
        retained.append(name: name.rawValue, message: message)
        if let group = index.unfiltered { add(begin, for: group) }
        for group in index.filtered(wanting: name) { add(begin, for: group) }
        if let lowest, retained.ring.isFarBehind(lowest) { awaitFarBehind() }
        if !unsent.isEmpty { flushLater(begin, message.count) }
    }

    /// Applies a new configuration, which ends the subscriptions of clients who may no longer subscribe.
    func apply(_ new: SocketParameters) {
        parameters = new
        retained.setLimit(new.socket.replayMax)
        flush()
        for subscriber in index.all.flatMap(\.current.all) + behind.all
        where !new.access.admits(subscriber.request, to: .look, clients) {
            complete(subscriber)
            remove(subscriber)
            subscriber.request.fail(.permissionDenied)
        }
    }

    // Those that are not behind

    private func add(_ notification: NotificationRing.Cursor, for group: SubscriberGroup) {
        guard retained.ring.oldest <= notification.sequence else {
            // It is too long for the ring.
            for subscriber in group.current.all { overrun(subscriber, at: notification.sequence) }
            return
        }
        guard group.pending == nil else { return }
        group.pending = notification
        unsent.append(group)
    }

    /// What several calls post is sent at once, up to about as much as the kernel takes.
    private func flushLater(_ begin: NotificationRing.Cursor, _ bytes: Int) {
        let first = pending == nil
        let gathered = (pending?.bytes ?? 0) + bytes
        guard server.isServing, gathered < GatheredNotifications.size else { return flush() }
        pending = (pending?.begin ?? begin, gathered)
        if first { server.afterServing { [weak self] in self?.flush() } }
    }

    private func flush() {
        pending = nil
        for group in unsent { send(pendingOf: group) }
        unsent.removeAll(keepingCapacity: true)
    }

    private func send(pendingOf group: SubscriberGroup) {
        guard var cursor = group.pending else { return }
        group.pending = nil
        while cursor.sequence <= retained.ring.last {
            gathered.gather(from: cursor, for: group, in: retained.ring)
            gathered.bytes.withUnsafeBytes { bytes in
                for index in group.current.all.indices.reversed() {
                    let subscriber = group.current.all[index]
                    let sent = subscriber.request.transmit(bytes)
                    guard sent < bytes.count else { continue }
                    group.current.remove(subscriber)
                    setBehind(subscriber, gathered.position(after: sent))
                }
            }
            cursor = gathered.end
        }
    }

    // Those that are behind

    private func setBehind(_ subscriber: Subscriber, _ position: Subscriber.Position) {
        subscriber.state = .behind(position)
        behind.insert(subscriber)
        if position.cursor.sequence < lowest?.sequence ?? .max { lowest = position.cursor }
        proceedLater(subscriber)
    }

    private func proceedLater(_ subscriber: Subscriber) {
        subscriber.request.whenDrained { subscriber.group.list?.proceed(subscriber) }
    }

    /// Sends about as much as the kernel takes at once.
    private func proceed(_ subscriber: Subscriber) {
        guard var position = subscriber.position else { return }
        if position.written > 0, let record = retained.ring.record(at: position.cursor) {
            let rest = UnsafeRawBufferPointer(rebasing: record.message[position.written...])
            let sent = subscriber.request.transmit(rest)
            position.written += sent
            if sent == rest.count { position = Subscriber.Position(cursor: record.end) }
        }
        if position.written == 0 {
            gathered.gather(from: position.cursor, for: subscriber.group, in: retained.ring)
            position = gathered.position(after: gathered.bytes.withUnsafeBytes { subscriber.request.transmit($0) })
        }
        subscriber.state = .behind(position)
        guard position.cursor.sequence > retained.ring.last else { return proceedLater(subscriber) }
        behind.remove(subscriber)
        wait.end(for: subscriber)
        // It has what is pending for the others.
        send(pendingOf: subscriber.group)
        subscriber.state = .current
        subscriber.group.current.insert(subscriber)
    }

    /// Has calls wait for those that are far behind, and finds out how far they are.
    private func awaitFarBehind() {
        updateLowest()
        let far = behind.all.filter { $0.position.map { retained.ring.isFarBehind($0.cursor) } ?? false }
        if !far.isEmpty { wait.begin(for: far) }
    }

    private func updateLowest() {
        lowest = behind.all.lazy.compactMap { $0.position?.cursor }.min { $0.sequence < $1.sequence }
    }

    /// Ends the subscriptions whose next notification was removed from the ring.
    private func endRemoved() {
        let (oldest, next) = (retained.ring.oldest, retained.ring.last + 1)
        for subscriber in behind.all {
            if let position = subscriber.position, position.cursor.sequence < oldest { overrun(subscriber, at: next) }
        }
        updateLowest()
    }

    /// Ends a subscription with `Overrun` at a notification: the client was too slow.
    private func overrun(_ subscriber: Subscriber, at last: UInt64) {
        overruns += 1
        complete(subscriber)
        let next = subscriber.position?.cursor.sequence ?? last
        remove(subscriber)
        let dropped = JSONValue.int(Int64(clamping: last + 1 - next))
        subscriber.request.fail("io.belfry.Lifecycle.Overrun", ["dropped": dropped])
    }

    /// Sends the rest of a notification that was begun, so that another reply can follow.
    private func complete(_ subscriber: Subscriber) {
        guard let position = subscriber.position, position.written > 0,
            let record = retained.ring.record(at: position.cursor)
        else { return }
        subscriber.state = .behind(Subscriber.Position(cursor: record.end))
        let rest = UnsafeRawBufferPointer(rebasing: record.message[position.written...])
        subscriber.request.send(VarlinkEncodedReply(continuing: rest))
    }

    private func remove(_ subscriber: Subscriber) {
        let group = subscriber.group
        switch subscriber.state {
        case .current: group.current.remove(subscriber)
        case .behind: behind.remove(subscriber)
        case .over: return
        }
        subscriber.state = .over
        wait.end(for: subscriber)
        count -= 1
        group.count -= 1
        if group.count == 0 { index.remove(group) }
    }
}
