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
    /// How many times this long a stop may take while listeners and background tasks report progress; 1 for no
    /// extension.
    public var stopExtensionMax: Int
    /// For all answers of any other transition together.
    public var transition: Duration

    /// Deadlines, by default 10 s for an answer, 25 s for a stop, twice that with progress, and 90 s for another
    /// transition.
    ///
    /// - Parameters:
    ///   - listener: for an answer without a deadline of its own.
    ///   - start: for a launch or a reload; the same as `transition` when nil.
    ///   - stop: for a whole stop.
    ///   - stopExtensionMax: how many times as long a stop may take with progress.
    ///   - transition: for any other whole transition.
    public init(
        listener: Duration = .seconds(10), start: Duration? = nil, stop: Duration = .seconds(25),
        stopExtensionMax: Int = 2, transition: Duration = .seconds(90)
    ) {
        self.listener = listener
        self.start = start ?? transition
        self.stop = stop
        self.stopExtensionMax = stopExtensionMax
        self.transition = transition
    }

    /// The same deadlines, each between zero and a hundred years.
    var bounded: LifecycleDeadlines {
        LifecycleDeadlines(
            listener: listener.bounded, start: start.bounded, stop: stop.bounded,
            stopExtensionMax: min(max(stopExtensionMax, 1), 1000), transition: transition.bounded)
    }

    /// For all answers of a stop together if they report progress.
    var extendedStop: Duration { (stop * stopExtensionMax).bounded }

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
