// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// How long listeners may take.
public nonisolated struct LifecycleDeadlines: Sendable, Equatable {
    /// For an answer that names no deadline of its own.
    public var listener: Duration
    /// For all answers of a launch together, or of a reload.
    public var start: Duration
    /// For all answers of a stop together, from its acceptance on; half of it for a transition that is under way then.
    public var stop: Duration
    /// For all answers of any other transition together.
    public var transition: Duration

    /// 10 s for an answer, 25 s for a stop and 90 s for another transition, unless said otherwise.
    ///
    /// - Parameter start: for a launch or a reload; as for another transition when nil.
    public init(
        listener: Duration = .seconds(10), start: Duration? = nil, stop: Duration = .seconds(25),
        transition: Duration = .seconds(90)
    ) {
        self.listener = listener
        self.start = start ?? transition
        self.stop = stop
        self.transition = transition
    }

    /// The same, each between zero and a hundred years.
    var bounded: LifecycleDeadlines {
        LifecycleDeadlines(
            listener: listener.bounded, start: start.bounded, stop: stop.bounded, transition: transition.bounded)
    }

    /// For what a stop finds under way: half of its own time, so that whichever of the two is slow, the other has as
    /// much.
    var beforeStop: Duration { stop / 2 }

    /// For all answers together of what a trigger begins.
    func limit(of trigger: LifecycleTrigger) -> Duration {
        switch trigger {
        case .stop: stop
        case .launch, .reload: start
        default: transition
        }
    }
}

/// What falls to one of those who share a time, one after the other.
///
/// Everybody has what he wants while there is enough for all. Otherwise the time is shared out in proportion, among him
/// and those who come later, so that whoever is slow costs the others nothing; what he leaves is shared anew.
package nonisolated struct TimeShare: Sendable, Equatable {
    /// The time he wants.
    package let wanted: Duration
    /// The time he has.
    package let time: Duration
    /// What is kept for those who come later.
    package let reserve: Duration

    /// - Parameters:
    ///   - wanted: the time he wants.
    ///   - later: what those who come later want, together.
    ///   - left: what is left for all.
    package init(of wanted: Duration, before later: Duration = .zero, within left: Duration) {
        let wanted = wanted.bounded
        let left = max(left, .zero)
        self.wanted = wanted
        if wanted + later <= left {
            time = wanted
        } else if wanted <= .zero {
            time = .zero
        } else {
            let product = wanted.wholeMicroseconds.multipliedFullWidth(by: left.wholeMicroseconds)
            // Less than a microsecond is wanted when the divisor is 0.
            let all = max((wanted + later).wholeMicroseconds, 1)
            time = .microseconds(all.dividingFullWidth(product).quotient)
        }
        reserve = min(later, left - time)
    }

    /// The whole time that is wanted, whatever is left.
    package init(_ wanted: Duration) {
        self.wanted = wanted.bounded
        time = self.wanted
        reserve = .zero
    }
}
