// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfrySystemd
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
    private let admits: (VarlinkRequest) -> Bool
    /// How many bytes of the first message the client has, and what is called when the rest of it is on its way.
    private var begun: (written: Int, number: UInt64, onRest: () -> Void)?
    /// Called when it is certain that the journal has all of it.
    private var onStart: (() -> Void)?
    /// Called when memory has all from a number on, and everything before it has been written.
    private let onArrival: (_ next: UInt64) -> Void
    /// Called when something is missing: from which number on there is all, and which one would have been next.
    private let onGap: (_ oldest: UInt64, _ next: UInt64) -> Void
    /// Called when the client may no longer look.
    private let onRefusal: () -> Void

    init(
        _ request: VarlinkRequest, _ replay: JournalReplay, from journal: JournalQueue, end: @escaping () -> UInt64,
        admits: @escaping (VarlinkRequest) -> Bool, begun: (written: Int, onRest: () -> Void)?,
        onStart: @escaping () -> Void, onArrival: @escaping (UInt64) -> Void,
        onGap: @escaping (UInt64, UInt64) -> Void, onRefusal: @escaping () -> Void
    ) {
        self.request = request
        self.replay = replay
        self.journal = journal
        self.end = end
        self.admits = admits
        self.begun = begun.map { ($0.written, replay.next, $0.onRest) }
        self.onStart = onStart
        self.onArrival = onArrival
        self.onGap = onGap
        self.onRefusal = onRefusal
    }

    /// Goes on with what is next.
    func proceed() {
        guard mayGoOn else { return }
        if replay.next >= end() {
            start()
            onArrival(replay.next)
        } else {
            journal.read(for: self)
        }
    }

    /// Takes a step that was read.
    func take(_ replay: JournalReplay, _ replies: [JournalReply], _ outcome: JournalReplay.Outcome) {
        guard mayGoOn else { return }
        self.replay = replay
        if replay.isChecked { start() }
        for reply in replies {
            guard send(reply) else { return request.breakOff() }
        }
        if case .broken(let oldest, _) = outcome {
            return begun == nil ? onGap(oldest, replay.next) : request.breakOff()
        }
        request.whenDrained { self.proceed() }
    }

    /// Answers false when this is not the message of which the client has the beginning.
    private func send(_ reply: JournalReply) -> Bool {
        let encoded = reply.message.withUnsafeBytes { VarlinkEncodedReply(continuing: $0, number: reply.number) }
        guard let (written, number, onRest) = begun else {
            request.send(encoded)
            return true
        }
        guard reply.number == number, encoded.byteCount > written else { return false }
        begun = nil
        request.send(encoded, written: written)
        onRest()
        return true
    }

    private var mayGoOn: Bool {
        guard request.isActive else { return false }
        if admits(request) { return true }
        if begun == nil { onRefusal() } else { request.breakOff() }
        return false
    }

    private func start() {
        onStart?()
        onStart = nil
    }
}
