// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import CSystemd
internal import Glibc
internal import Varlink

/// How the subscriptions of an earlier process go on.
extension SubscriberList {
    /// Goes on with all that an earlier process left, where it left off. Those that cannot go on are closed, and see the
    /// end of their connection.
    ///
    /// - Parameter isAdmitted: whether a client may still read.
    func resume(_ isAdmitted: (VarlinkPeer) -> Bool) {
        keeper.store()
        var replies = KeptReplies()
        for subscriber in kept.left where !resume(subscriber, isAdmitted, &replies) {
            kept.subscribers.remove(subscriber.line, names: subscriber.names)
            keeper.descriptors.removeSubscriber(subscriber.line)
        }
        keeper.descriptors.dropRest()
    }

    /// Answers false when the subscription is over.
    private func resume(
        _ left: KeptSubscribers.Left, _ isAdmitted: (VarlinkPeer) -> Bool, _ replies: inout KeptReplies
    ) -> Bool {
        guard let descriptor = keeper.descriptors.takeSubscriber(left.line, inode: left.inode) else { return false }
        // Of a message that was begun the rest must be had, and of its first reply nothing is kept.
        guard let progress = left.progress, progress.own == 0, let rest = rest(progress, left.names, &replies) else {
            close(descriptor)
            return false
        }
        let call = VarlinkCall("io.belfry.Lifecycle.Subscribe", mode: .more)
        guard let request = server.resume(descriptor, call) else { return false }
        guard isAdmitted(request.peer) else {
            request.fail(.permissionDenied)
            return false
        }
        let next = progress.next + UInt64(rest.count)
        let isBehind = next < kept.ring.oldest
        guard !isBehind || journal != nil else {
            overrun(request, left.names, Int(clamping: kept.ring.oldest - next))
            return false
        }
        for reply in rest { request.send(reply, written: Int(progress.written)) }
        keep(request, line: left.line, from: progress.next)
        if isBehind, let journal {
            replay(request, left.names, from: next, journal) { [self] oldest, next in
                overrun(request, left.names, Int(clamping: oldest - next))
            }
        } else {
            follow(request, left.names, from: next, &replies)
        }
        return true
    }

    /// The message of which some bytes were written, if there is one; nil when it cannot be had.
    private func rest(
        _ progress: belfry_progress, _ names: Set<String>?, _ replies: inout KeptReplies
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
