// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import LifecycleJournal
internal import Varlink

/// A subscriber who gets from the journal what memory does not hold any more, until memory has the rest.
///
/// The next step is read when the one before has been written: a client that does not read keeps one step waiting, and
/// nobody else.
final class JournalFollower {
    let request: VarlinkRequest
    private(set) var replay: JournalReplay
    private let journal: JournalQueue
    /// The oldest number that memory holds.
    let end: () -> UInt64
    /// Called when it is certain that the journal has all of it.
    private var onStart: (() -> Void)?
    /// Called when memory has all from a number on, and everything before it has been written.
    private let onArrival: (_ next: UInt64) -> Void
    /// Called when something is missing: from which number on there is all, and which one would have been next.
    private let onGap: (_ oldest: UInt64, _ next: UInt64) -> Void

    init(
        _ request: VarlinkRequest, _ replay: JournalReplay, from journal: JournalQueue, end: @escaping () -> UInt64,
        onStart: @escaping () -> Void, onArrival: @escaping (UInt64) -> Void,
        onGap: @escaping (UInt64, UInt64) -> Void
    ) {
        self.request = request
        self.replay = replay
        self.journal = journal
        self.end = end
        self.onStart = onStart
        self.onArrival = onArrival
        self.onGap = onGap
    }

    /// Goes on with what is next.
    func proceed() {
        guard request.isActive else { return }
        if replay.next >= end() {
            start()
            onArrival(replay.next)
        } else {
            journal.read(for: self)
        }
    }

    /// Takes a step that was read.
    func take(_ replay: JournalReplay, _ replies: [JournalReply], _ outcome: JournalReplay.Outcome) {
        guard request.isActive else { return }
        self.replay = replay
        if replay.isChecked { start() }
        for reply in replies {
            reply.message.withUnsafeBytes { request.send(VarlinkEncodedReply(continuing: $0, number: reply.number)) }
        }
        if case .broken(let oldest, _) = outcome { return onGap(oldest, replay.next) }
        request.whenDrained { self.proceed() }
    }

    private func start() {
        onStart?()
        onStart = nil
    }
}
