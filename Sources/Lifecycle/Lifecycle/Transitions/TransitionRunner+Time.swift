// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// The time of transitions.
extension TransitionRunner {
    /// The time that is left to a transition.
    func remaining(_ transition: Transition) -> Duration {
        Duration(from: clock.monotonicUsec, to: transition.limitUsec)
    }

    /// How long a transition may wait for background tasks from a moment on, if that has a limit of its own.
    func waitLeft(of transition: Transition, from startUsec: UInt64) -> Duration? {
        guard case .sleep(let wait) = transition.kind else { return nil }
        return max(wait - Duration(from: transition.beganUsec, to: startUsec), .zero)
    }

    /// Applies new deadlines. The transition under way has its new time from its beginning on, unless it was extended.
    func apply(_ deadlines: LifecycleDeadlines) -> [Action] {
        self.deadlines = deadlines
        if let stop, stop !== current, !stop.isExtended { stop.limitUsec = limit(of: stop) }
        guard let current, !current.isExtended else { return [] }
        return retime(current, to: limit(of: current))
    }

    func retime(_ transition: Transition, to limit: UInt64) -> [Action] {
        guard limit != transition.limitUsec else { return [] }
        transition.limitUsec = limit
        return [.retime]
    }

    func limit(of transition: Transition) -> UInt64 {
        let own = deadlines.limit(of: transition.trigger).end(from: transition.beganUsec)
        guard let stop, stop !== transition else { return own }
        return min(own, limit(before: stop))
    }

    /// When a transition is to be done that a stop finds under way.
    func limit(before stop: Transition) -> UInt64 { deadlines.beforeStop.end(from: stop.beganUsec) }

    /// How much time progress may give a transition from a moment on: what a stop leaves, if it is one or one waits for
    /// it.
    func extensionLeft(of transition: Transition, from startUsec: UInt64) -> Duration? {
        guard let stop else { return nil }
        let kept = stop === transition ? .zero : deadlines.stop - deadlines.beforeStop
        let end = (deadlines.extendedStop - kept).end(from: stop.beganUsec)
        return Duration(from: startUsec, to: end)
    }

    /// Records progress. It may move the limits of the transition and of a stop that waits behind it.
    func record(
        _ progress: ProgressReport, of name: String, _ sequence: UInt64?, in transition: Transition
    ) -> LifecycleProgress {
        if let moved = progress.moved {
            let last = Duration.longest.end(from: clock.monotonicUsec)
            transition.extend(to: min(moved.reserve.end(from: moved.endUsec), last))
            if let stop, stop !== transition {
                stop.extend(to: (deadlines.stop - deadlines.beforeStop).end(from: transition.limitUsec))
            }
        }
        let last = stop ?? transition
        return LifecycleProgress(
            progress, of: name, sequence, for: last.trigger, window: min(progress.window, remaining(transition)),
            remaining: remaining(last), isExtended: transition.isExtended || last.isExtended)
    }
}
