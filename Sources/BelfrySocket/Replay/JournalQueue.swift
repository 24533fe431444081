// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryEventLoop
internal import BelfrySystemd
internal import BelfryLinux
internal import Varlink

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
