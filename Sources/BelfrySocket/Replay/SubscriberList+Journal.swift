// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryJSON
internal import BelfrySystemd
internal import Varlink

/// Subscribers who are further behind than memory reaches.
extension SubscriberList {
    /// Sends what was missed from number `next` on, from the journal first, then as `follow` does.
    ///
    /// - Parameters:
    ///   - begun: how much the client has of the first message, and what is called when the rest of it is on its way.
    ///   - onStart: called before anything is sent.
    ///   - onGap: called instead when the journal does not have it, or later when it has lost the rest; with the number
    ///     from which on there is all, and that of the next one.
    func replay(
        _ request: VarlinkRequest, _ names: Set<UTF8Text>?, from next: UInt64, _ journal: JournalQueue,
        begun: (written: Int, onRest: () -> Void)? = nil, onStart: @escaping () -> Void = {},
        onGap: @escaping (UInt64, UInt64) -> Void
    ) {
        let follower = JournalFollower(
            request, JournalReplay(journal.series, from: next, names: names), from: journal,
            end: { [kept] in kept.ring.oldest }, admits: admits, begun: begun, onStart: onStart,
            onArrival: { [weak self, weak request] next in
                guard let request else { return }
                request.onCancel = nil
                var replies = KeptReplies()
                self?.follow(request, names, from: next, &replies)
            },
            onGap: onGap,
            onRefusal: { [weak self, weak request] in
                if let request { self?.refuse(request, names) }
            })
        releaseWhenGone(request, names)
        follower.proceed()
    }
}
