// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// How long listeners may take.
public nonisolated struct LifecycleDeadlines: Sendable, Equatable {
    /// For an answer that names no deadline of its own.
    public var listener: Duration
    /// For all answers of a launch together, or of a reload.
    public var start: Duration
    /// For all answers of a stop together, from its acceptance on. A transition that is under way then gets at most
    /// half of it.
    public var stop: Duration
    /// For all answers of any other transition together.
    public var transition: Duration

    /// Deadlines, by default 10 s for an answer, 25 s for a stop and 90 s for another transition.
    ///
    /// - Parameters:
    ///   - listener: for an answer without a deadline of its own.
    ///   - start: for a launch or a reload; the same as `transition` when nil.
    ///   - stop: for a whole stop.
    ///   - transition: for any other whole transition.
    public init(
        listener: Duration = .seconds(10), start: Duration? = nil, stop: Duration = .seconds(25),
        transition: Duration = .seconds(90)
    ) {
        self.listener = listener
        self.start = start ?? transition
        self.stop = stop
        self.transition = transition
    }

    /// The same deadlines, each between zero and a hundred years.
    var bounded: LifecycleDeadlines {
        LifecycleDeadlines(
            listener: listener.bounded, start: start.bounded, stop: stop.bounded, transition: transition.bounded)
    }

    /// For a transition that is under way when a stop is accepted: half of the stop's time.
    var beforeStop: Duration { stop / 2 }

    /// For all answers of a transition together.
    func limit(of trigger: LifecycleTrigger) -> Duration {
        switch trigger {
        case .stop: stop
        case .launch, .reload: start
        default: transition
        }
    }
}

/// One answer's or task's share of a limited time.
///
/// It is the time wanted if the rest is enough for all that come later. Otherwise the rest is divided in proportion to the
/// times wanted. What is not used is shared again among those that come later.
package nonisolated struct TimeShare: Sendable, Equatable {
    /// The time wanted.
    package let wanted: Duration
    /// The share.
    package let time: Duration
    /// The time reserved for those that come later.
    package let reserve: Duration

    /// - Parameters:
    ///   - wanted: the time wanted.
    ///   - later: the time wanted by those that come later, together.
    ///   - left: the time left for all.
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
            // The divisor is 0 if less than a microsecond is wanted.
            let all = max((wanted + later).wholeMicroseconds, 1)
            time = .microseconds(all.dividingFullWidth(product).quotient)
        }
        reserve = min(later, left - time)
    }

    /// A share without a limit: all of the time wanted.
    package init(_ wanted: Duration) {
        self.wanted = wanted.bounded
        time = self.wanted
        reserve = .zero
    }
}
