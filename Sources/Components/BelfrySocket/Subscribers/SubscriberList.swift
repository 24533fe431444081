// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryEventLoop
internal import BelfryJSON
internal import BelfryListeners
internal import Lifecycle
internal import Varlink

/// The subscribers of the socket. A notification is encoded once for all of them.
final class SubscriberList {
    /// How many names a subscriber may ask for, and their bytes.
    private static let longestFilter = (names: 256, bytes: HandoffLayout.longestNames)
    /// How many bytes of past notifications are sent before the subscriber has to read.
    private static let piece = 16 << 10

    /// How many replies may wait for one subscriber before it is told that it is too slow.
    var queueLimit: Int { didSet { for broadcast in index.all { broadcast.limit = queueLimit } } }
    /// The same in bytes.
    var queueByteLimit: Int { didSet { for broadcast in index.all { broadcast.byteLimit = queueByteLimit } } }
    /// How many past notifications a subscriber may get from memory.
    var replayLimit: Int { didSet { handoff.setReplayLimit(replayLimit) } }
    /// Whether a client may still subscribe.
    var admits: (VarlinkRequest) -> Bool = { _ in true }
    /// Reads notifications that are not in memory any more; nil when there is no journal.
    let journal: JournalQueue?
    let server: VarlinkServer
    private let loop: MainEventLoop
    let handoff: Handoff
    let memory: HandoffMemory
    @exclusivity(unchecked)  // nothing calls out while it is used
    private(set) var index = SubscriberIndex()
    @exclusivity(unchecked)  // nothing calls out while it is used
    private var encoder: NotificationEncoder
    /// What was posted since the positions of idle subscribers were recorded.
    @exclusivity(unchecked)  // nothing calls out while it is used
    var unrecorded = (notifications: 0, bytes: 0)

    init(
        on server: VarlinkServer, loop: MainEventLoop, bootID: String, queueLimit: Int, queueByteLimit: Int,
        replayLimit: Int,
        handoff: Handoff, journal: JournalQueue?
    ) {
        self.server = server
        self.loop = loop
        encoder = NotificationEncoder(bootID: bootID)
        self.queueLimit = queueLimit
        self.queueByteLimit = queueByteLimit
        self.replayLimit = replayLimit
        self.handoff = handoff
        memory = handoff.memory
        self.journal = journal
    }

    /// How many subscriptions ended since the start because the client did not read.
    private(set) var overruns = 0

    /// How many there are.
    private(set) var count = 0

    /// The number of the oldest notification that a subscriber may get from memory, or of the next one.
    private var oldest: UInt64 {
        let ring = memory.ring
        let reach = UInt64(replayLimit)
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
        let last = memory.ring.last
        let next = after.map { min(UInt64(clamping: $0), last) + 1 } ?? last + 1
        let names = names.map { Set($0.map { UTF8Text($0) }) }
        // The next process can continue the subscription once the client has the state, which is in no memory.
        let start = { [self] (proceed: @escaping () -> Void) in
            request.reply(["state": .object(state())], continues: true)
            request.whenDrained { [self] in
                handoff.add(request, names, from: next, on: loop)
                proceed()
            }
        }
        let refuse = { (oldest: UInt64) in
            request.fail("io.belfry.Lifecycle.NotRetained", ["oldest": .int(Int64(clamping: oldest))])
        }
        if next > last || next >= oldest {
            start { [weak self] in self?.proceed(request, names, from: next) }
        } else if let journal {
            replay(request, names, from: next, journal, onStart: start) { [self] oldest, _ in
                handoff.remove(request)
                refuse(oldest)
            }
        } else {
            refuse(oldest)
        }
    }

    /// Sends a notification to all who asked for its name.
    func send(_ notification: LifecycleNotification) {
        let name = notification.name
        encoder.encode(notification)
        let message = encoder.message
        let isStored = store(name.rawValue, message)
        for broadcast in index.unfiltered { broadcast.send(message, number: notification.sequence) }
        for broadcast in index.filtered(wanting: name) { broadcast.send(message, number: notification.sequence) }
        if !isStored { advanceIdle() }
    }

    /// Ends the subscriptions of clients who may no longer subscribe. Clients that still get past notifications are checked
    /// at their next step.
    func recheckPermissions() {
        for broadcast in index.all {
            for request in broadcast.requests where !admits(request) {
                broadcast.remove(request)
                request.fail(.permissionDenied)
            }
        }
    }

    /// Removes the subscription from the handoff if its client disconnects before it joins a broadcast. Later the
    /// broadcast does this.
    func removeOnCancel(_ request: VarlinkRequest) {
        request.onCancel = { [weak self, weak request] in
            if let request { self?.handoff.remove(request) }
        }
    }

    /// Sends past notifications from number `next` on, a piece at a time as the client reads, then new ones.
    func follow(_ request: VarlinkRequest, _ names: Set<UTF8Text>?, from next: UInt64) {
        var sent = 0
        var rest: UInt64?
        memory.ring.forEach(from: next) { record in
            guard record.isWanted(by: names) else { return true }
            guard sent < Self.piece else {
                rest = record.sequence
                return false
            }
            sent += record.message.count
            request.send(record.reply)
            return true
        }
        guard request.isActive else { return handoff.remove(request) }
        if let rest {
            removeOnCancel(request)
            request.whenDrained { [weak self] in self?.proceed(request, names, from: rest) }
        } else {
            request.onCancel = nil
            let broadcast = broadcast(of: names)
            if broadcast.add(request) { count += 1 }
            // `add` writes what is pending, which may have ended the last of the others.
            if index[names] !== broadcast { index.add(names, broadcast) }
        }
    }

    /// Sends past notifications from number `next` on, if the client still may have them.
    private func proceed(_ request: VarlinkRequest, _ names: Set<UTF8Text>?, from next: UInt64) {
        guard admits(request) else { return refuse(request) }
        if next >= memory.ring.oldest {
            follow(request, names, from: next)
        } else if let journal {
            replay(request, names, from: next, journal) { [self] in overrun(request, Int(clamping: $0 - $1)) }
        } else {
            overrun(request, Int(clamping: memory.ring.oldest - next))
        }
    }

    /// Ends a subscription with `PermissionDenied`.
    func refuse(_ request: VarlinkRequest) {
        handoff.remove(request)
        request.fail(.permissionDenied)
    }

    /// Ends a subscription with `Overrun`: the client was too slow.
    func overrun(_ request: VarlinkRequest, _ dropped: Int) {
        overruns += 1
        handoff.remove(request)
        request.fail("io.belfry.Lifecycle.Overrun", ["dropped": .int(Int64(clamping: dropped))])
    }

    private func broadcast(of names: Set<UTF8Text>?) -> VarlinkBroadcast {
        if let known = index[names] { return known }
        let made = VarlinkBroadcast(on: server, limit: queueLimit, byteLimit: queueByteLimit)
        made.onRemoval = { [weak self, unowned made] request in
            self?.count -= 1
            self?.handoff.remove(request)
            if made.count == 0 { self?.index.remove(names) }
        }
        made.onOverrun = { [weak self] in self?.overrun($0, $1) }
        index.add(names, made)
        return made
    }
}
