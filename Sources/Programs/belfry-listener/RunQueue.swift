// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryEventLoop
import BelfryJSON

/// Decides which run is next. One runs at a time; one of `Health=` is ended for any other, and left out during another.
/// Notifications of one name that wait are merged and counted, at the place of the last one: the last run is that of
/// the last notification. What has waited past its deadline is dropped, because the service no longer waits for it.
nonisolated struct RunQueue {
    enum Action: Equatable {
        /// Start this run, and end it at its deadline.
        case start(Run)
        /// Send the result for this run.
        case answer(Run, RunResult)
        /// This run, which has waited, is not started.
        case drop(Run, DropReason)
        /// End the current run, which is one of `Health=`.
        case interrupt
        /// The last run has ended after `stop`.
        case finish
    }

    /// Why a run that waits is not started.
    enum DropReason: String {
        case late = "waited too long for the last run"
        case detached = "waited for the last run when the service went away"
    }

    /// How many answers one merged run may owe.
    static let longest = 4096

    private(set) var current: Run?
    private var waiting: [Run] = []
    private var isStopping = false

    /// A notification or attachment.
    mutating func add(_ run: Run) -> [Action] {
        if isStopping { return [.answer(run, .failed("the program is stopping"))] }
        guard let current else {
            current = run
            return [.start(run)]
        }
        if run.isHealth { return [] }
        let interruption: [Action] = current.isHealth ? [.interrupt] : []
        let same = waiting.firstIndex { $0.name.hasSameBytes(as: run.name) }
        guard let same else {
            waiting.append(run)
            return interruption
        }
        guard waiting[same].tokens.count < Self.longest else {
            return [.answer(run, .failed("more than \(Self.longest) notifications wait"))]
        }
        var merged = waiting.remove(at: same)
        (merged.key, merged.content) = (run.key, run.content)
        merged.tokens += run.tokens
        merged.count += run.count
        merged.deadline = max(merged.deadline, run.deadline)
        waiting.append(merged)
        return interruption
    }

    /// The current run has ended.
    mutating func end(_ result: RunResult, at now: MonotonicInstant) -> [Action] {
        guard let ended = current else { return [] }
        current = nil
        var actions = [Action.answer(ended, result)]
        while !waiting.isEmpty {
            let next = waiting.removeFirst()
            if next.deadline <= now {
                actions.append(.drop(next, .late))
            } else {
                current = next
                return actions + [.start(next)]
            }
        }
        return isStopping ? actions + [.finish] : actions
    }

    /// The service is gone, and waits for nothing. The current run goes on.
    mutating func detach() -> [Action] {
        defer { waiting = [] }
        current?.tokens = []
        return waiting.map { .drop($0, .detached) }
    }

    /// Nothing is started any more.
    mutating func stop() -> [Action] {
        isStopping = true
        let refused = waiting.map { Action.answer($0, .failed("the program is stopping")) }
        waiting = []
        guard let current else { return refused + [.finish] }
        return refused + (current.isHealth ? [.interrupt] : [])
    }
}
