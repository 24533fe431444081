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
        var replies = RingReplies()
        for subscription in memory.subscriptions where !resume(subscription, &replies) {
            memory.slots.remove(subscription.slot, names: subscription.names)
            handoff.descriptors.removeSubscriber(subscription.slot)
        }
        handoff.descriptors.closeRest()
    }

    /// Returns false when the subscription is over.
    private func resume(_ subscription: SlotTable.Subscription, _ replies: inout RingReplies) -> Bool {
        let descriptors = handoff.descriptors
        guard
            let descriptor = descriptors.removeReceivedSubscriber(subscription.slot, inode: subscription.inode)
        else { return false }
        guard let position = subscription.position else {
            close(descriptor)
            return false
        }
        let call = VarlinkCall("io.belfry.Lifecycle.Subscribe", mode: .more)
        guard let request = server.resume(descriptor, call) else { return false }
        guard admits(request) else {
            if position.bytes > 0 { request.closeConnection() } else { request.fail(.permissionDenied) }
            return false
        }
        return proceed(request, subscription, from: position, &replies)
    }

    /// Returns false when the subscription is over.
    private func proceed(
        _ request: VarlinkRequest, _ subscription: SlotTable.Subscription, from position: belfry_position,
        _ replies: inout RingReplies
    ) -> Bool {
        if position.number >= memory.ring.oldest {
            // A message that was begun must be completed.
            guard let rest = rest(position, subscription.names, &replies) else {
                request.closeConnection()
                return false
            }
            for reply in rest { request.send(reply, written: Int(clamping: position.bytes)) }
            handoff.record(request, in: subscription.slot)
            follow(request, subscription.names, from: position.number + UInt64(rest.count), &replies)
        } else if let journal {
            proceed(request, subscription, from: position, journal)
        } else if position.bytes > 0 {
            request.closeConnection()
            return false
        } else {
            overrun(request, subscription.names, Int(clamping: memory.ring.oldest - position.number))
            return false
        }
        return true
    }

    private func proceed(
        _ request: VarlinkRequest, _ subscription: SlotTable.Subscription, from position: belfry_position,
        _ journal: JournalQueue
    ) {
        let record: () -> Void = { [handoff] in handoff.record(request, in: subscription.slot) }
        var begun: (written: Int, onRest: () -> Void)?
        if position.bytes > 0 {
            // Until the rest is here, the recorded position stays true.
            begun = (Int(clamping: position.bytes), record)
            handoff.assign(request, to: subscription.slot)
        } else {
            record()
        }
        replay(request, subscription.names, from: position.number, journal, begun: begun) { [self] oldest, next in
            overrun(request, subscription.names, Int(clamping: oldest - next))
        }
    }

    /// The message of which some bytes were written, if there is one; nil when the ring does not have it.
    private func rest(
        _ position: belfry_position, _ names: Set<UTF8Text>?, _ replies: inout RingReplies
    ) -> [VarlinkEncodedReply]? {
        guard position.bytes > 0 else { return [] }
        var found: [VarlinkEncodedReply]?
        memory.ring.forEach(from: position.number) { record in
            if record.sequence == position.number, record.isWanted(by: names), record.message.count > position.bytes {
                found = [replies[record]]
            }
            return false
        }
        return found
    }
}
