// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryJSON
internal import CBelfry
internal import Glibc
internal import Varlink

/// How subscriptions are handed over to the next process, and how those of the last one are continued.
extension SubscriberList {
    // The ring

    /// Stores a notification before it is sent. Returns false when it is too long for the ring.
    ///
    /// A subscriber's position must not leave the ring as long as the subscriber has everything it wants. Positions of idle
    /// subscribers are therefore advanced before half of the ring is new to them.
    func store(_ name: String, _ message: UnsafeRawBufferPointer) -> Bool {
        let ring = memory.ring
        let cost = ring.cost(name: name.utf8.count, message: message.count)
        let bytes = unrecorded.bytes + (cost ?? 0)
        let size = memory.layout.ringSize
        // Between two turns nothing has to be flushed for it, so that it is best done well before it is necessary.
        let isDue = bytes > size / 4 || unrecorded.notifications >= ring.capacity / 4
        let isNecessary = cost == nil || bytes > size / 2 || unrecorded.notifications >= ring.capacity / 2
        if isNecessary || (isDue && !index.all.contains(where: \.isGathering)) { advanceIdle() }
        unrecorded = (unrecorded.notifications + 1, unrecorded.bytes + (cost ?? 0))
        memory.ring.append(name: name, message: message)
        return cost != nil
    }

    /// Records of all subscribers for whom nothing waits that they have all notifications so far.
    func advanceIdle() {
        unrecorded = (0, 0)
        guard !handoff.isEmpty else { return }
        for broadcast in index.all {
            broadcast.flush()
            for request in broadcast.requests { handoff.advance(request, past: memory.ring.last) }
        }
    }

    // Subscriptions of the last process

    /// Continues all subscriptions of the last process. Those that cannot be continued are closed, so that their clients
    /// see the end of the connection.
    func resume() {
        handoff.store()
        for subscription in memory.subscriptions {
            if let position = subscription.position, let request = request(of: subscription) {
                handoff.assign(request, to: subscription.slot)
                resume(request, subscription, from: position)
            } else {
                handoff.remove(subscription.slot)
            }
        }
        handoff.descriptors.closeRest()
    }

    /// The call that the last process has answered so far; nil when its connection is not there any more.
    private func request(of subscription: SlotTable.Subscription) -> VarlinkRequest? {
        handoff.descriptors.removeReceivedSubscriber(subscription.slot, inode: subscription.inode).flatMap {
            server.resume($0, VarlinkCall("io.belfry.Lifecycle.Subscribe", mode: .more))
        }
    }

    private func resume(
        _ request: VarlinkRequest, _ subscription: SlotTable.Subscription, from position: belfry_position
    ) {
        let (names, slot) = (subscription.names, subscription.slot)
        var next = position.number
        let written = Int(clamping: position.bytes)
        if !admits(request) {
            written > 0 ? close(request) : refuse(request)
        } else if next >= memory.ring.oldest {
            if written > 0 {
                guard let begun = memory.ring.record(of: next), begun.isWanted(by: names), begun.message.count > written
                else { return close(request) }
                request.send(begun.reply, written: written)
                next += 1
            }
            handoff.record(request, in: slot)
            follow(request, names, from: next)
        } else if let journal {
            // Until the rest of a message is queued, the recorded position stays true.
            let record: () -> Void = { [handoff] in handoff.record(request, in: slot) }
            if written == 0 { record() }
            replay(request, names, from: next, journal, begun: written > 0 ? (written, record) : nil) { [self] in
                overrun(request, Int(clamping: $0 - $1))
            }
        } else {
            written > 0 ? close(request) : overrun(request, Int(clamping: memory.ring.oldest - next))
        }
    }

    /// Closes a connection whose client has the beginning of a message that cannot be completed.
    private func close(_ request: VarlinkRequest) {
        handoff.remove(request)
        request.closeConnection()
    }
}
