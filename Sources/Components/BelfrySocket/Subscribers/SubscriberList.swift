// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryJSON
internal import BelfryListeners
internal import Lifecycle
internal import Varlink

/// The subscribers of the socket. A notification is encoded once for all of them.
final class SubscriberList {
    /// How many names a subscriber may ask for, and their bytes.
    private static let longestFilter = (names: 256, bytes: 4096)
    /// How many bytes of past notifications are sent before the subscriber has to read.
    private static let piece = 16 << 10

    private var parameters: SocketParameters
    private let server: VarlinkServer
    private let retained: RetainedNotifications
    private let clients: ClientLog
    @exclusivity(unchecked)  // nothing calls out while it is used
    private var index = SubscriberIndex()
    @exclusivity(unchecked)  // nothing calls out while it is used
    private var encoder: NotificationEncoder

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

    /// The number of the oldest notification that a subscriber may get from memory, or of the next one.
    private var oldest: UInt64 {
        let ring = retained.ring
        let reach = UInt64(parameters.replayMax)
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
        let names = names.map { Set($0.map { UTF8Text($0) }) }
        guard next > last || next >= oldest else {
            return request.fail("io.belfry.Lifecycle.NotRetained", ["oldest": .int(Int64(clamping: oldest))])
        }
        request.reply(["state": .object(state())], continues: true)
        proceed(request, names, from: next)
    }

    /// Sends a notification to all who asked for its name.
    func send(_ notification: LifecycleNotification) {
        let name = notification.name
        encoder.encode(notification)
        let message = encoder.message
        retained.append(name: name.rawValue, message: message)
        for broadcast in index.unfiltered { broadcast.send(message, number: notification.sequence) }
        for broadcast in index.filtered(wanting: name) { broadcast.send(message, number: notification.sequence) }
    }

    /// Applies a new configuration, which ends the subscriptions of clients who may no longer subscribe. Clients that still get
    /// past notifications are checked at their next step.
    func apply(_ new: SocketParameters) {
        parameters = new
        retained.setLimit(new.replayMax)
        for broadcast in index.all {
            broadcast.limit = new.queueMax
            broadcast.byteLimit = new.queueSizeMax
            for request in broadcast.requests where !admits(request) {
                broadcast.remove(request)
                request.fail(.permissionDenied)
            }
        }
    }

    private func admits(_ request: VarlinkRequest) -> Bool { parameters.access.admits(request, to: .look, clients) }

    /// Sends past notifications from number `next` on, a piece at a time as the client reads, then new ones.
    private func proceed(_ request: VarlinkRequest, _ names: Set<UTF8Text>?, from next: UInt64) {
        guard admits(request) else { return request.fail(.permissionDenied) }
        // All that waited is dropped, as for a subscriber whose queue is full.
        guard next >= retained.ring.oldest else {
            return overrun(request, Int(clamping: retained.ring.last + 1 - next))
        }
        var sent = 0
        var rest: UInt64?
        retained.ring.forEach(from: next) { record in
            guard record.isWanted(by: names) else { return true }
            guard sent < Self.piece else {
                rest = record.sequence
                return false
            }
            sent += record.message.count
            request.send(record.reply)
            return true
        }
        guard request.isActive else { return }
        if let rest {
            request.whenDrained { [weak self] in self?.proceed(request, names, from: rest) }
        } else {
            let broadcast = broadcast(of: names)
            if broadcast.add(request) { count += 1 }
            // `add` writes what is pending, which may have ended the last of the others.
            if index[names] !== broadcast { index.add(names, broadcast) }
        }
    }

    /// Ends a subscription with `Overrun`: the client was too slow.
    private func overrun(_ request: VarlinkRequest, _ dropped: Int) {
        overruns += 1
        request.fail("io.belfry.Lifecycle.Overrun", ["dropped": .int(Int64(clamping: dropped))])
    }

    private func broadcast(of names: Set<UTF8Text>?) -> VarlinkBroadcast {
        if let known = index[names] { return known }
        let made = VarlinkBroadcast(
            on: server, limit: parameters.queueMax, byteLimit: parameters.queueSizeMax,
            onRemoval: { [weak self] in self?.removed(names) }, onOverrun: { [weak self] in self?.overrun($0, $1) })
        index.add(names, made)
        return made
    }

    private func removed(_ names: Set<UTF8Text>?) {
        count -= 1
        if index[names]?.count == 0 { index.remove(names) }
    }
}
