// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryJSON
internal import CBelfry
internal import Glibc
internal import Varlink

/// How the subscriptions of an earlier process go on.
extension SubscriberList {
    /// Goes on with all that an earlier process left, where it left off. Those that cannot go on are closed, and see the
    /// end of their connection.
    func resume() {
        handoff.store()
        var replies = RingReplies()
        for subscriber in kept.left where !resume(subscriber, &replies) {
            kept.subscribers.remove(subscriber.line, names: subscriber.names)
            handoff.descriptors.removeSubscriber(subscriber.line)
        }
        handoff.descriptors.dropRest()
    }

    /// Answers false when the subscription is over.
    private func resume(_ left: SlotTable.Left, _ replies: inout RingReplies) -> Bool {
        guard let descriptor = handoff.descriptors.takeSubscriber(left.line, inode: left.inode) else { return false }
        guard let progress = left.progress, progress.own == 0 else {
            // Of its first reply, which has its state, nothing is kept.
            close(descriptor)
            return false
        }
        let call = VarlinkCall("io.belfry.Lifecycle.Subscribe", mode: .more)
        guard let request = server.resume(descriptor, call) else { return false }
        guard admits(request) else {
            if progress.written > 0 { request.breakOff() } else { request.fail(.permissionDenied) }
            return false
        }
        return goOn(request, left, from: progress, &replies)
    }

    /// Answers false when the subscription is over.
    private func goOn(
        _ request: VarlinkRequest, _ left: SlotTable.Left, from progress: belfry_progress,
        _ replies: inout RingReplies
    ) -> Bool {
        let isBehind = progress.next < kept.ring.oldest
        if !isBehind {
            // Of a message that was begun the rest must be had.
            guard let rest = rest(progress, left.names, &replies) else {
                request.breakOff()
                return false
            }
            for reply in rest { request.send(reply, written: Int(progress.written)) }
            keep(request, line: left.line, from: progress.next)
            follow(request, left.names, from: progress.next + UInt64(rest.count), &replies)
        } else if let journal {
            goOn(request, left, from: progress, journal)
        } else if progress.written > 0 {
            request.breakOff()
            return false
        } else {
            overrun(request, left.names, Int(clamping: kept.ring.oldest - progress.next))
            return false
        }
        return true
    }

    private func goOn(
        _ request: VarlinkRequest, _ left: SlotTable.Left, from progress: belfry_progress,
        _ journal: JournalQueue
    ) {
        let keepOn: () -> Void = { [self] in keep(request, line: left.line, from: progress.next) }
        var begun: (written: Int, onRest: () -> Void)?
        if progress.written > 0 {
            // Until the rest is here, what the last process noted stays true.
            begun = (Int(progress.written), keepOn)
            note(left.line, of: request)
        } else {
            keepOn()
        }
        replay(request, left.names, from: progress.next, journal, begun: begun) { [self] oldest, next in
            overrun(request, left.names, Int(clamping: oldest - next))
        }
    }

    /// The message of which some bytes were written, if there is one; nil when it cannot be had.
    private func rest(
        _ progress: belfry_progress, _ names: Set<UTF8Text>?, _ replies: inout RingReplies
    ) -> [VarlinkEncodedReply]? {
        guard progress.written > 0 else { return [] }
        var found: [VarlinkEncodedReply]?
        kept.ring.forEach(from: progress.next) { record in
            if record.sequence == progress.next, record.isWanted(by: names), record.message.count > progress.written {
                found = [replies[record]]
            }
            return false
        }
        return found
    }
}
