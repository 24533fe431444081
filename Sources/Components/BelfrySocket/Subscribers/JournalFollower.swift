// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryEventLoop
internal import BelfryJSON
internal import BelfryLinux
internal import BelfrySystemd
internal import Varlink

/// Sends a subscriber those past notifications from the journal that are not in memory any more.
///
/// The next step is read when the replies of the last one are written, so that a client that does not read has at most one
/// step in memory.
final class JournalFollower {
    /// Begins a subscription, and calls its argument to proceed.
    typealias Start = (_ proceed: @escaping () -> Void) -> Void
    /// How many bytes of the first message the client already has, and what to call when the rest is queued.
    typealias Beginning = (written: Int, onRest: () -> Void)
    /// Called when the journal lacks some, with the number from which on all is available, and the number that was next.
    typealias GapHandler = (_ oldest: UInt64, _ next: UInt64) -> Void

    let request: VarlinkRequest
    private(set) var replay: JournalReplay
    private let first: UInt64
    private weak var list: SubscriberList?
    private let journal: JournalQueue
    private var begun: Beginning?
    private var onStart: Start?
    private let onGap: GapHandler
    /// Called when everything before number `next` is written and memory has all from there on.
    private let onArrival: (_ next: UInt64) -> Void

    init(
        _ request: VarlinkRequest, _ replay: JournalReplay, of list: SubscriberList, from journal: JournalQueue,
        begun: Beginning?, onStart: Start?, onGap: @escaping GapHandler, onArrival: @escaping (UInt64) -> Void
    ) {
        self.request = request
        self.replay = replay
        first = replay.next
        self.list = list
        self.journal = journal
        self.begun = begun
        self.onStart = onStart
        self.onGap = onGap
        self.onArrival = onArrival
    }

    /// The oldest number in memory.
    var end: UInt64 { list?.memory.ring.oldest ?? 0 }

    /// Sends what is next.
    func proceed() {
        guard mayGoOn else { return }
        if replay.next >= end {
            start { self.onArrival(self.replay.next) }
        } else {
            journal.read(for: self)
        }
    }

    /// Receives the result of a step.
    func receive(_ replay: JournalReplay, _ replies: [JournalReply], _ outcome: JournalReplay.Outcome) {
        guard mayGoOn else { return }
        self.replay = replay
        for reply in replies {
            guard send(reply) else { return request.closeConnection() }
        }
        if case .broken(let oldest, _) = outcome {
            return begun == nil ? onGap(oldest, replay.next) : request.closeConnection()
        }
        // The step that finds the journal complete has no replies.
        if replay.isChecked { start(proceedWhenDrained) } else { proceedWhenDrained() }
    }

    /// Returns false when this is not the message of which the client has the beginning.
    private func send(_ reply: JournalReply) -> Bool {
        let encoded = reply.message.withUnsafeBytes { VarlinkEncodedReply(continuing: $0, number: reply.number) }
        guard let (written, onRest) = begun else {
            request.send(encoded)
            return true
        }
        guard reply.number == first, encoded.byteCount > written else { return false }
        begun = nil
        request.send(encoded, written: written)
        onRest()
        return true
    }

    private var mayGoOn: Bool {
        guard request.isActive, let list else { return false }
        if list.admits(request) { return true }
        if begun == nil { list.refuse(request) } else { request.closeConnection() }
        return false
    }

    private func proceedWhenDrained() { request.whenDrained { self.proceed() } }

    private func start(_ proceed: @escaping () -> Void) {
        guard let onStart else { return proceed() }
        self.onStart = nil
        onStart(proceed)
    }
}

/// Reads the journal for followers on one worker thread, one step of one follower at a time, in turn.
final class JournalQueue {
    private struct Result: Sendable {
        let replay: JournalReplay
        let replies: [JournalReply]
        let outcome: JournalReplay.Outcome
        var problem: SystemError?
    }

    let series: JournalSeries
    /// Whether records are being written to the journal.
    private let isWritten: () -> Bool
    /// Called when the journal cannot be read, or has nothing although records are being written (nil).
    private let onProblem: (SystemError?) -> Void
    private var waiting: ArraySlice<JournalFollower> = []
    private var isReading = false

    init(_ series: JournalSeries, isWritten: @escaping () -> Bool, onProblem: @escaping (SystemError?) -> Void) {
        self.series = series
        self.isWritten = isWritten
        self.onProblem = onProblem
    }

    /// Reads the next step of a follower, and calls it with the result.
    func read(for follower: JournalFollower) {
        waiting.append(follower)
        if !isReading { readNext() }
    }

    private func readNext() {
        while waiting.first?.request.isActive == false { waiting.removeFirst() }
        guard let follower = waiting.popFirst() else { return }
        let (replay, end, isWritten) = (follower.replay, follower.end, isWritten())
        isReading = true
        WorkerThread.run {
            Self.step(replay, end, isWritten)
        } then: { [weak self] result in
            self?.isReading = false
            self?.tell(of: result, isWritten)
            follower.receive(result.replay, result.replies, result.outcome)
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

/// Subscribers that need more than memory has.
extension SubscriberList {
    /// Sends past notifications from number `next` on, first from the journal, then as `follow` does.
    func replay(
        _ request: VarlinkRequest, _ names: Set<UTF8Text>?, from next: UInt64, _ journal: JournalQueue,
        begun: JournalFollower.Beginning? = nil, onStart: JournalFollower.Start? = nil,
        onGap: @escaping JournalFollower.GapHandler
    ) {
        removeOnCancel(request)
        JournalFollower(
            request, JournalReplay(journal.series, from: next, names: names), of: self, from: journal, begun: begun,
            onStart: onStart, onGap: onGap
        ) { [weak self, weak request] next in
            guard let request else { return }
            request.onCancel = nil
            self?.follow(request, names, from: next)
        }.proceed()
    }
}
