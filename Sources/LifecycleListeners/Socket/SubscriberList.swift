// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import Lifecycle
internal import Varlink

/// Everyone who follows the service over the socket. A notification is encoded once, however many follow it.
final class SubscriberList {
    private struct Sent {
        let name: String
        let reply: VarlinkEncodedReply
    }

    /// How many names may be asked for.
    private static let longestFilter = 256

    /// How many replies may wait for one subscriber before it is told that it is too slow.
    var queueLimit: Int { didSet { for broadcast in broadcasts.values { broadcast.limit = queueLimit } } }
    /// The same in bytes.
    var queueByteLimit: Int { didSet { for broadcast in broadcasts.values { broadcast.byteLimit = queueByteLimit } } }
    private let server: VarlinkServer
    private let bootID: String
    private var ring: ReplayRing<Sent>
    /// Those who asked for the same names; nil stands for all names.
    private var broadcasts: [Set<String>?: VarlinkBroadcast] = [:]

    init(
        on server: VarlinkServer, bootID: String, queueLimit: Int, queueByteLimit: Int, replayLimit: Int,
        after last: UInt64
    ) {
        self.server = server
        self.bootID = bootID
        self.queueLimit = queueLimit
        self.queueByteLimit = queueByteLimit
        ring = ReplayRing(capacity: replayLimit, after: last)
    }

    /// How many were dropped since the start because they did not read.
    private(set) var overruns = 0

    /// How many there are.
    var count: Int { broadcasts.values.reduce(0) { $0 + $1.count } }

    /// Begins a subscription: the state, then what was missed, then what comes.
    func add(_ request: VarlinkRequest, names: [String]?, after: Int64?, state: VarlinkObject) {
        if let names, names.count > Self.longestFilter || names.contains(where: { $0.utf8.count > 255 }) {
            return request.fail(.invalidParameter("names"))
        }
        let names = names.map { Set($0) }
        var missed: [Sent] = []
        if let after {
            guard let replay = ring.elements(after: UInt64(clamping: after)) else {
                return request.fail(
                    "io.belfry.Lifecycle.NotRetained", ["oldest": .int(Int64(clamping: ring.oldest))])
            }
            missed = replay.filter { names?.contains($0.name) ?? true }
        }
        request.reply(["state": .object(state)], continues: true)
        for (position, sent) in missed.enumerated() {
            guard position == 0 || hasBytes(request, for: sent.reply) else {
                // What is queued counts: it subscribes again after that, and comes further each time.
                overruns += 1
                let rest = missed.count - position
                return request.fail("io.belfry.Lifecycle.Overrun", ["dropped": .int(Int64(rest))])
            }
            request.send(sent.reply)
        }
        guard request.isActive else { return }
        broadcast(of: names).add(request)
    }

    /// Tells everyone who wants to know.
    func send(_ notification: LifecycleNotification) {
        let name = notification.name.rawValue
        let object = LifecycleReplies.notification(notification, bootID: bootID)
        let sent = Sent(name: name, reply: VarlinkEncodedReply(continuing: ["notification": .object(object)]))
        ring.append(sent, sequence: notification.sequence)
        for (names, broadcast) in broadcasts where names?.contains(name) ?? true { broadcast.send(sent.reply) }
    }

    /// Whether a subscriber's queue has the bytes for a reply. One that nothing waits for is sent anything.
    private func hasBytes(_ request: VarlinkRequest, for reply: VarlinkEncodedReply) -> Bool {
        let queued = request.queuedBytes
        return queued + reply.byteCount <= queueByteLimit || queued == 0
    }

    private func broadcast(of names: Set<String>?) -> VarlinkBroadcast {
        if let known = broadcasts[names] { return known }
        // Those who have gone left theirs behind.
        broadcasts = broadcasts.filter { $0.value.count > 0 }
        let made = VarlinkBroadcast(on: server, limit: queueLimit, byteLimit: queueByteLimit)
        made.onOverrun = { [weak self] request, dropped in
            self?.overruns += 1
            request.fail("io.belfry.Lifecycle.Overrun", ["dropped": .int(Int64(dropped))])
        }
        broadcasts[names] = made
        return made
    }
}
