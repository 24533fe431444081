// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryEventLoop
internal import BelfryJSON
internal import BelfryLinux
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
    /// Called once the journal is known to have all of it, with what is to be called to proceed.
    private var onStart: ((@escaping () -> Void) -> Void)?
    /// Called when memory has all from a number on, and everything before it has been written.
    private let onArrival: (_ next: UInt64) -> Void
    /// Called when something is missing: from which number on there is all, and which one would have been next.
    private let onGap: (_ oldest: UInt64, _ next: UInt64) -> Void
    /// Called when the client may no longer look.
    private let onRefusal: () -> Void

    init(
        _ request: VarlinkRequest, _ replay: JournalReplay, from journal: JournalQueue, end: @escaping () -> UInt64,
        admits: @escaping (VarlinkRequest) -> Bool, begun: (written: Int, onRest: () -> Void)?,
        onStart: ((@escaping () -> Void) -> Void)?, onArrival: @escaping (UInt64) -> Void,
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
            start { self.onArrival(self.replay.next) }
        } else {
            journal.read(for: self)
        }
    }

    /// Takes a step that was read.
    func take(_ replay: JournalReplay, _ replies: [JournalReply], _ outcome: JournalReplay.Outcome) {
        guard mayGoOn else { return }
        self.replay = replay
        for reply in replies {
            guard send(reply) else { return request.closeConnection() }
        }
        if case .broken(let oldest, _) = outcome {
            return begun == nil ? onGap(oldest, replay.next) : request.closeConnection()
        }
        // The step that finds the journal complete has no replies.
        if replay.isChecked { start { self.proceedWhenDrained() } } else { proceedWhenDrained() }
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
        if begun == nil { onRefusal() } else { request.closeConnection() }
        return false
    }

    private func proceedWhenDrained() { request.whenDrained { self.proceed() } }

    private func start(_ proceed: @escaping () -> Void) {
        guard let onStart else { return proceed() }
        self.onStart = nil
        onStart(proceed)
    }
}

/// Reads the journal for those who want more than memory holds, off the loop: one step of one of them at a time, and each
/// in turn, so that however many they are they keep one thread busy at the most.
final class JournalQueue {
    private struct Result: Sendable {
        let replay: JournalReplay
        let replies: [JournalReply]
        let outcome: JournalReplay.Outcome
        var problem: SystemError?
    }

    let series: JournalSeries
    /// Whether the journal is being written.
    private let isWritten: () -> Bool
    /// Called when it cannot be read, or holds nothing although it is being written.
    private let onProblem: (SystemError?) -> Void
    private var waiting: ArraySlice<JournalFollower> = []
    private var isReading = false

    init(_ series: JournalSeries, isWritten: @escaping () -> Bool, onProblem: @escaping (SystemError?) -> Void) {
        self.series = series
        self.isWritten = isWritten
        self.onProblem = onProblem
    }

    /// Reads a step for somebody, and gives it to him.
    func read(for follower: JournalFollower) {
        waiting.append(follower)
        if !isReading { readNext() }
    }

    private func readNext() {
        while waiting.first?.request.isActive == false { waiting.removeFirst() }
        guard let follower = waiting.popFirst() else { return }
        let (replay, end, isWritten) = (follower.replay, follower.end(), isWritten())
        isReading = true
        WorkerThread.run {
            Self.step(replay, end, isWritten)
        } then: { [weak self] result in
            self?.isReading = false
            self?.tell(of: result, isWritten)
            follower.take(result.replay, result.replies, result.outcome)
            if self?.isReading == false { self?.readNext() }
        }
    }

    private func tell(of result: Result, _ isWritten: Bool) {
        if result.problem != nil { return onProblem(result.problem) }
        if case .broken(_, found: false) = result.outcome, isWritten { onProblem(nil) }
    }

    nonisolated private static func step(_ replay: JournalReplay, _ end: UInt64, _ isWritten: Bool) -> Result {
        var replay = replay
        do {
            let (replies, outcome) = try replay.step(upTo: end, isWritten: isWritten)
            return Result(replay: replay, replies: replies, outcome: outcome)
        } catch {
            return Result(
                replay: replay, replies: [], outcome: .broken(oldest: end, found: false), problem: error as? SystemError
            )
        }
    }
}

/// Subscribers who are further behind than memory reaches.
extension SubscriberList {
    /// Sends what was missed from number `next` on, from the journal first, then as `follow` does.
    ///
    /// - Parameters:
    ///   - begun: how much the client has of the first message, and what is called when the rest of it is on its way.
    ///   - onStart: called before anything is sent, with what is to be called to proceed.
    ///   - onGap: called instead when the journal does not have it, or later when it has lost the rest; with the number
    ///     from which on there is all, and that of the next one.
    func replay(
        _ request: VarlinkRequest, _ names: Set<UTF8Text>?, from next: UInt64, _ journal: JournalQueue,
        begun: (written: Int, onRest: () -> Void)? = nil, onStart: ((@escaping () -> Void) -> Void)? = nil,
        onGap: @escaping (UInt64, UInt64) -> Void
    ) {
        let follower = JournalFollower(
            request, JournalReplay(journal.series, from: next, names: names), from: journal,
            end: { [memory] in memory.ring.oldest }, admits: admits, begun: begun, onStart: onStart,
            onArrival: { [weak self, weak request] next in
                guard let request else { return }
                request.onCancel = nil
                var replies = RingReplies()
                self?.follow(request, names, from: next, &replies)
            },
            onGap: onGap,
            onRefusal: { [weak self, weak request] in
                if let request { self?.refuse(request, names) }
            })
        removeOnCancel(request, names)
        follower.proceed()
    }
}
