// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// The transition under way and those that wait. One transition runs at a time.
struct TransitionQueue {
    /// The effect of adding a transition.
    enum Admission {
        /// It waits for its turn. The overtaken ones will not run.
        case queued(overtaken: [Transition])
        /// It was merged with one that waits.
        case merged
        /// It is a second stop, which leaves the first no time.
        case cutsShort(Transition)
    }

    private(set) var current: Transition?
    private(set) var waiting: [Transition] = []

    /// Adds a transition. A stop overtakes those that wait, and a second stop cuts the first short. A transition with
    /// the same trigger as the last that waits is merged with it, and a reload with any reload that waits, a dry run
    /// with a dry run. Suspensions are never merged. One of the kind `next` is not merged, and comes before the others.
    /// Nothing runs after a stop: what comes then is overtaken itself.
    mutating func add(_ transition: Transition) -> Admission {
        if transition.trigger == .stop {
            if let stop {
                stop.add(transition.requests)
                return .cutsShort(stop)
            }
            let overtaken = waiting
            waiting = [transition]
            return .queued(overtaken: overtaken)
        }
        if let duplicate = duplicate(of: transition) {
            duplicate.merge(transition)
            return .merged
        }
        if stop != nil { return .queued(overtaken: [transition]) }
        waiting.insert(transition, at: transition.kind == .next ? 0 : waiting.endIndex)
        return .queued(overtaken: [])
    }

    /// Makes the next transition the current one, if there is no current one.
    mutating func begin() -> Transition? {
        guard current == nil, !waiting.isEmpty else { return nil }
        current = waiting.removeFirst()
        return current
    }

    /// Removes a request from a transition that waits, and the transition if it was the only one.
    ///
    /// - Returns: the transition; nil if none that waits has this request.
    mutating func withdraw(_ request: TransitionRequest) -> Transition? {
        guard let index = waiting.firstIndex(where: { $0.requests.contains { $0 === request } }) else { return nil }
        let transition = waiting[index]
        transition.remove(request)
        if transition.requests.isEmpty { waiting.remove(at: index) }
        return transition
    }

    /// Ends the current transition.
    mutating func end() { current = nil }

    /// The stop that is under way or waits.
    var stop: Transition? { current?.trigger == .stop ? current : waiting.first { $0.trigger == .stop } }

    private func duplicate(of transition: Transition) -> Transition? {
        switch transition.trigger {
        case .reload: waiting.first { $0.trigger == .reload && $0.kind == transition.kind }
        // Each has its own cause and duration.
        case .endSuspension: nil
        case let trigger where transition.kind == .standard:
            waiting.last.flatMap { $0.trigger == trigger && !$0.isForSleep ? $0 : nil }
        default: nil
        }
    }
}
