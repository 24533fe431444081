// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import Lifecycle
internal import Varlink

/// Everyone who follows the service over the socket. A notification is encoded once, however many follow it.
final class SubscriberList {
    private final class Subscriber {
        let request: VarlinkRequest
        let names: Set<String>?

        init(_ request: VarlinkRequest, _ names: Set<String>?) {
            self.request = request
            self.names = names
        }
    }

    private struct Sent {
        let name: String
        let reply: VarlinkEncodedReply
    }

    /// How many replies may wait for one subscriber before it is told that it is too slow.
    var queueLimit: Int
    private let bootID: String
    private var ring: ReplayRing<Sent>
    private var subscribers: [ObjectIdentifier: Subscriber] = [:]

    init(bootID: String, queueLimit: Int, replayLimit: Int, after last: UInt64) {
        self.bootID = bootID
        self.queueLimit = queueLimit
        ring = ReplayRing(capacity: replayLimit, after: last)
    }

    /// How many there are.
    var count: Int { subscribers.count }

    /// Begins a subscription: the state, then what was missed, then what comes.
    func add(_ request: VarlinkRequest, names: [String]?, after: Int64?, state: VarlinkObject) {
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
        for sent in missed { request.send(sent.reply) }
        guard request.isActive else { return }
        let key = ObjectIdentifier(request)
        subscribers[key] = Subscriber(request, names)
        request.onCancel = { [weak self] in self?.subscribers[key] = nil }
    }

    /// Tells everyone who wants to know.
    func send(_ notification: LifecycleNotification) {
        let name = notification.name.rawValue
        let object = LifecycleReplies.notification(notification, bootID: bootID)
        let sent = Sent(name: name, reply: VarlinkEncodedReply(continuing: ["notification": .object(object)]))
        ring.append(sent, sequence: notification.sequence)
        for (key, subscriber) in subscribers where subscriber.names?.contains(name) ?? true {
            if subscriber.request.queuedReplies < queueLimit {
                subscriber.request.send(sent.reply)
            } else {
                overrun(subscriber, key)
            }
        }
    }

    /// Drops what waits for a subscriber that does not read, and tells it how much that was.
    private func overrun(_ subscriber: Subscriber, _ key: ObjectIdentifier) {
        subscribers[key] = nil
        let dropped = subscriber.request.dropQueuedReplies() + 1
        subscriber.request.fail("io.belfry.Lifecycle.Overrun", ["dropped": .int(Int64(dropped))])
    }
}
