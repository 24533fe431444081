// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryListeners
internal import Lifecycle

/// The time of a stop in which a server goes on accepting: until no client has come for a while, or until its time is
/// up. A load balancer learns at its next checks that the service ends, and a client when it looks up endpoints again.
final class QuietPeriod {
    private let duration: Duration
    /// When its time is up, by the monotonic clock.
    private let limit: Duration
    private let clock: any LifecycleClock
    private let lastClient: () -> Duration
    private let onEnd: (_ said: String) -> Void
    private var timer: (any LifecycleTimer)?

    /// Begins when `check()` is called, and lasts from now on no longer than `longest`.
    init(
        _ duration: Duration, atMost longest: Duration, _ clock: any LifecycleClock,
        lastClient: @escaping () -> Duration, onEnd: @escaping (_ said: String) -> Void
    ) {
        (self.duration, self.clock, self.lastClient, self.onEnd) = (duration, clock, lastClient, onEnd)
        limit = clock.monotonic + longest
    }

    /// Ends it if no client has come for long enough or its time is up, and otherwise looks again then.
    func check() {
        let now = clock.monotonic
        let end = min(lastClient() + duration, limit)
        if now < end {
            timer = clock.schedule(after: end - now) { [weak self] in self?.check() }
        } else {
            self.end(now < limit ? "none came for \(duration.milliseconds) ms" : "the time was up")
        }
    }

    /// Ends it at once.
    func end(_ reason: String) {
        timer?.cancel()
        onEnd("accepted connections until \(reason)")
    }
}
