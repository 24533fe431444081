// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// What a service did between two points in time.
struct StateSegment: Equatable {
    /// The state; nil if the journal does not say: no record ends the run before the next launch.
    let state: String?
    let start: Double
    let end: Double

    /// The segments of a history, and the times in which the service was suspended.
    @MainActor
    static func segments(of history: SpanHistory) -> (states: [StateSegment], suspensions: [ClosedRange<Double>]) {
        guard let span = history.span else { return ([], []) }
        var states: [StateSegment] = []
        var suspensions: [ClosedRange<Double>] = []
        var (state, start) = (history.events.first?.previousState, span.lowerBound)
        var asleep: Double?
        /// When all notifications so far were answered.
        var answered = span.lowerBound
        for (index, event) in history.events.enumerated() {
            // A resumed service comes from `suspended` in the state in which it was before.
            let isResumed = event.name == "didResume"
            let before = isResumed ? event.state : event.previousState
            if index > 0, !isResumed, state != before { state = nil }
            if state != event.state {
                if event.time > start { states.append(StateSegment(state: state, start: start, end: event.time)) }
                (state, start) = (event.state, event.time)
            }
            switch event.name {
            case "didResume":
                if let duration = event.suspension {
                    suspensions.append(event.time - duration...event.time)
                } else if event.state == "background", index > 0 {
                    // A pause that ends in SIGSTOP, which the service sends itself when nothing delays the pause any more.
                    suspensions.append(min(answered, event.time)...event.time)
                }
            case "willSleep": asleep = event.time
            case "didWake":
                if let asleep { suspensions.append(min(asleep, event.time)...event.time) }
                asleep = nil
            default: break
            }
            answered = max(answered, history.end(ofEvent: index))
        }
        states.append(StateSegment(state: state, start: start, end: max(start, span.upperBound)))
        return (states, suspensions)
    }
}
