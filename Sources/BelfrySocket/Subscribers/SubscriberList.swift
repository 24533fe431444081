// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryEventLoop
internal import BelfryJSON
internal import BelfryListeners
internal import Lifecycle
internal import Varlink

/// Everyone who follows the service over the socket. A notification is encoded once, however many follow it.
final class SubscriberList {
    /// How many names may be asked for, and their bytes.
    private static let longestFilter = (names: 256, bytes: HandoffLayout.longestNames)
    /// How much of the past a subscriber gets before it has to read.
    private static let piece = 16 << 10

    /// How many replies may wait for one subscriber before it is told that it is too slow.
    var queueLimit: Int { didSet { for broadcast in index.all { broadcast.limit = queueLimit } } }
    /// The same in bytes.
    var queueByteLimit: Int { didSet { for broadcast in index.all { broadcast.byteLimit = queueByteLimit } } }
    /// How many past notifications in memory a subscriber may ask for.
    var replayLimit: Int { didSet { handoff.setReplayLimit(replayLimit) } }
    /// Whether a client may still look.
    var admits: (VarlinkRequest) -> Bool = { _ in true }
    /// Where those are that are not in memory; nil when they are nowhere.
    let journal: JournalQueue?
    let server: VarlinkServer
    private let loop: MainEventLoop
    let handoff: Handoff
    /// What the next process goes on with.
    let kept: HandoffMemory
    @exclusivity(unchecked)  // nothing calls out while it is used
    private var index = SubscriberIndex()
    @exclusivity(unchecked)  // nothing calls out while it is used
    private var encoder: NotificationEncoder
    /// The lines of those in the table that the next process goes on with.
    private var lines: [ObjectIdentifier: Int] = [:]
    /// Whether the next process has them now.
    private var isLeaving = false
    /// What was posted since it was noted of all that nothing waits for them.
    @exclusivity(unchecked)  // nothing calls out while it is used
    private var unsettled = (notifications: 0, bytes: 0)

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
        kept = handoff.state
        self.journal = journal
    }

    /// How many were dropped since the start because they did not read.
    private(set) var overruns = 0

    /// How many there are.
    private(set) var count = 0

    /// The number of the oldest notification that can be had, or that of the next one.
    private var oldest: UInt64 {
        let ring = kept.ring
        let reach = UInt64(replayLimit)
        return max(ring.oldest, ring.last >= reach ? ring.last - reach + 1 : 1)
    }

    /// Begins a subscription: the state, then what was missed, then what comes.
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
        let last = kept.ring.last
        let next = after.map { min(UInt64(clamping: $0), last) + 1 } ?? last + 1
        let names = names.map { Set($0.map { UTF8Text($0) }) }
        let start = { [self] in
            request.reply(["state": .object(state())], continues: true)
            keep(request, names, from: next)
        }
        let refuse = { [self] (oldest: UInt64) in
            release(request, names)
            request.fail("io.belfry.Lifecycle.NotRetained", ["oldest": .int(Int64(clamping: oldest))])
        }
        if next > last || next >= oldest {
            start()
            var replies = RingReplies()
            follow(request, names, from: next, &replies)
        } else if let journal {
            replay(request, names, from: next, journal, onStart: start) { oldest, _ in refuse(oldest) }
        } else {
            refuse(oldest)
        }
    }

    /// Tells everyone who wants to know.
    func send(_ notification: LifecycleNotification) {
        let name = notification.name
        encoder.encode(notification)
        let message = encoder.message
        let isLong = makeRoom(name: name.rawValue.utf8.count, message: message.count)
        kept.ring.append(name: name.rawValue, message: message)
        for broadcast in index.broadcasts(wanting: name) {
            broadcast.send(message, number: notification.sequence)
        }
        if isLong { settle() }
    }

    /// Ends the subscriptions of those who may no longer look. Who is still being told the past is seen to at his next step.
    func review() {
        for broadcast in index.all {
            for request in broadcast.requests where !admits(request) {
                broadcast.remove(request)
                request.fail(.permissionDenied)
            }
        }
    }

    /// The process ends: subscribers are left to the next one, or to the end that the service manager makes.
    func leave() {
        isLeaving = true
        handoff.descriptors.storeYoung()
    }

    // What is kept of a subscription

    /// Keeps half of the ring for what has not been noted of everybody. Answers whether the ring cannot hold this one.
    private func makeRoom(name: Int, message: Int) -> Bool {
        let ring = kept.ring
        let cost = ring.cost(name: name, message: message)
        let bytes = unsettled.bytes + (cost ?? 0)
        let size = kept.layout.ringSize
        // Between two turns nothing has to be written for it, so that is done well before it must be.
        let isDue = bytes > size / 4 || unsettled.notifications >= ring.capacity / 4
        let mustBe = cost == nil || bytes > size / 2 || unsettled.notifications >= ring.capacity / 2
        if mustBe || (isDue && !isGathering) { settle() }
        unsettled = (unsettled.notifications + 1, unsettled.bytes + (cost ?? 0))
        return cost == nil
    }

    private var isGathering: Bool {
        index.all.contains(where: \.isGathering)
    }

    private func settle() {
        unsettled = (0, 0)
        guard !lines.isEmpty else { return }
        for broadcast in index.all { broadcast.settle(after: kept.ring.last) }
    }

    private func keep(_ request: VarlinkRequest, _ names: Set<UTF8Text>?, from next: UInt64) {
        let inode = HandoffDescriptors.inode(of: request.descriptor)
        guard handoff.descriptors.isThere, inode != 0,
            let line = kept.subscribers.add(inode: inode, names: names)
        else { return }
        guard let note = kept.subscribers.note(line), request.keepProgress(note, from: next) else {
            return kept.subscribers.remove(line, names: names)
        }
        kept.subscribers.confirm(line)
        handoff.descriptors.storeSubscriber(line, request.descriptor, on: loop)
        lines[ObjectIdentifier(request)] = line
    }

    /// Keeps a subscription under the line that an earlier process gave it.
    func keep(_ request: VarlinkRequest, line: Int, from next: UInt64) {
        guard let progress = kept.subscribers.note(line), request.keepProgress(progress, from: next) else { return }
        note(line, of: request)
    }

    /// Notes under which line a subscription is kept.
    func note(_ line: Int, of request: VarlinkRequest) { lines[ObjectIdentifier(request)] = line }

    /// The next process is not to go on with it.
    func release(_ request: VarlinkRequest, _ names: Set<UTF8Text>?) {
        guard !isLeaving, let line = lines.removeValue(forKey: ObjectIdentifier(request)) else { return }
        kept.subscribers.remove(line, names: names)
        // Without it the client would never see the end of a connection that we close.
        handoff.descriptors.removeSubscriber(line)
    }

    /// Releases it when its client goes away, until a broadcast does so.
    func releaseWhenGone(_ request: VarlinkRequest, _ names: Set<UTF8Text>?) {
        request.onCancel = { [weak self, weak request] in
            if let request { self?.release(request, names) }
        }
    }

    // What a subscriber gets

    /// Sends what was missed from number `next` on, a piece at a time as the client reads, then what comes.
    func follow(
        _ request: VarlinkRequest, _ names: Set<UTF8Text>?, from next: UInt64, _ replies: inout RingReplies
    ) {
        var sent = 0
        var rest: UInt64?
        kept.ring.forEach(from: next) { record in
            guard record.isWanted(by: names) else { return true }
            guard sent < Self.piece else {
                rest = record.sequence
                return false
            }
            sent += record.message.count
            request.send(replies[record])
            return true
        }
        guard request.isActive else { return release(request, names) }
        if let rest {
            releaseWhenGone(request, names)
            request.whenDrained { [weak self] in self?.goOn(request, names, from: rest) }
        } else {
            request.onCancel = nil
            let broadcast = broadcast(of: names)
            if broadcast.add(request) { count += 1 }
            // What was pending is written before, and that may have ended the last of the others.
            if index[names] !== broadcast { index.add(names, broadcast) }
        }
    }

    /// Goes on with what was missed.
    private func goOn(_ request: VarlinkRequest, _ names: Set<UTF8Text>?, from next: UInt64) {
        guard admits(request) else { return refuse(request, names) }
        if next >= kept.ring.oldest {
            var replies = RingReplies()
            follow(request, names, from: next, &replies)
        } else if let journal {
            replay(request, names, from: next, journal) { [self] in overrun(request, names, Int(clamping: $0 - $1)) }
        } else {
            overrun(request, names, Int(clamping: kept.ring.oldest - next))
        }
    }

    /// Tells a subscriber that it may no longer look.
    func refuse(_ request: VarlinkRequest, _ names: Set<UTF8Text>?) {
        release(request, names)
        request.fail(.permissionDenied)
    }

    /// Tells a subscriber that it was too slow.
    func overrun(_ request: VarlinkRequest, _ names: Set<UTF8Text>?, _ dropped: Int) {
        overruns += 1
        release(request, names)
        request.fail("io.belfry.Lifecycle.Overrun", ["dropped": .int(Int64(clamping: dropped))])
    }

    private func broadcast(of names: Set<UTF8Text>?) -> VarlinkBroadcast {
        if let known = index[names] { return known }
        let made = VarlinkBroadcast(on: server, limit: queueLimit, byteLimit: queueByteLimit)
        made.onRemoval = { [weak self, unowned made] request in
            self?.count -= 1
            self?.release(request, names)
            if made.count == 0 { self?.index.remove(names) }
        }
        made.onOverrun = { [weak self] in self?.overrun($0, names, $1) }
        index.add(names, made)
        return made
    }
}
