// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// Decides what becomes of a trigger while others wait or are under way: one transition runs at a time.
struct TransitionQueue {
    /// What becomes of a trigger that was added.
    enum Admission {
        /// It runs when its turn comes. `overtaken` are those that will not run because of it.
        case queued(overtaken: [Transition])
        /// The one that waits already does for both, and says for how many it stands.
        case merged
        /// It is a second stop: the stop under way has no more time.
        case cutsShort(Transition)
    }

    private(set) var current: Transition?
    private var waiting: [Transition] = []

    /// Adds a transition. A stop overtakes what waits; a second one cuts the first short; what asks for the same as
    /// the last that waits is merged with it, as is a reload with any reload that waits. Each suspension is told.
    mutating func add(_ transition: Transition) -> Admission {
        if transition.trigger == .stop {
            if let stop {
                stop.completions += transition.completions
                return .cutsShort(stop)
            }
            defer { waiting = [transition] }
            return .queued(overtaken: waiting)
        }
        if let duplicate = duplicate(of: transition) {
            duplicate.merge(transition)
            return .merged
        }
        if stop != nil { return .queued(overtaken: [transition]) }
        waiting.append(transition)
        return .queued(overtaken: [])
    }

    /// Takes the next transition, once the current one has ended.
    mutating func begin() -> Transition? {
        guard current == nil, !waiting.isEmpty else { return nil }
        current = waiting.removeFirst()
        return current
    }

    /// Takes out one that waits and can be taken back.
    mutating func removeRevocable() -> Transition? {
        waiting.firstIndex(where: \.isRevocable).map { waiting.remove(at: $0) }
    }

    /// Ends the current transition.
    mutating func end() { current = nil }

    /// The stop that is under way or waits.
    var stop: Transition? { current?.trigger == .stop ? current : waitingStop }

    private func duplicate(of transition: Transition) -> Transition? {
        switch transition.trigger {
        case .reload: waiting.first { $0.trigger == .reload }
        // Each has its own cause and duration.
        case .endSuspension: nil
        case let trigger where !transition.isRevocable:
            waiting.last.flatMap { $0.trigger == trigger && !$0.isRevocable ? $0 : nil }
        default: nil
        }
    }

    private var waitingStop: Transition? { waiting.first { $0.trigger == .stop } }
}
