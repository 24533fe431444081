// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

// How deadlines move
//
// A transition has a limit for everything it waits for: listeners and background tasks. When the turn of one comes, it
// gets a share of the rest (`TimeShare`): all that it wants if the rest is enough for all. Otherwise short wishes are
// met in full and the longer ones get equal parts, so that a slow one does not use the time of those behind it. The
// time of those behind it is the reserve.
//
// A share counts from the beginning of the call or of the wait, whatever has kept the thread since. Two things move its
// end:
//
// * Progress. A report of progress names a window. The share then lasts at least until the end of that window, up to
//   the declared deadline. The limit of the transition then moves too, to the new end plus the reserve, and the service
//   manager is asked for the time (EXTEND_TIMEOUT_USEC, sd_notify(3)). A stop that waits behind the transition moves as
//   well. A stop has a last limit, which nothing moves (`LifecycleDeadlines.stopExtensionMax`): no share is extended
//   beyond what leaves the reserve before it.
// * A new limit: a stop leaves the transition under way a part of its own time, or `LifecycleMediator.deadlines` is
//   set. Then the remaining time is divided again; time that was used already counts. A window that was named stays. A
//   second stop does not come here: `TransitionRunner.add`.
//
// A background task that begins during the wait for tasks has its part as if it had been there from the beginning.
//
// `TransitionRunner` alone writes the limit of a transition, and `MovableDeadline` alone the end of a share:
// `ListenerCall` has one for an answer, `BackgroundTaskWait` one for all background tasks. A report of progress does
// not touch the timer, which may happen often: when the timer fires and the end has moved, it is set again for the
// rest.

/// The end of a share of time, with the timer that fires there.
struct MovableDeadline {
    private(set) var endUsec: UInt64 = 0
    /// The end of the time that is wanted and may be had: progress does not move the end beyond it.
    private(set) var lastUsec: UInt64 = 0
    /// The end of the window that the last report of progress named.
    private var promisedUsec: UInt64 = 0
    /// The time of those that come later.
    private var reserve = Duration.zero
    private var timer: (any LifecycleTimer)?

    /// Sets it to a share that begins at `startUsec`.
    ///
    /// - Parameter isLonger: whether the end does not move back.
    mutating func set(_ share: TimeShare, from startUsec: UInt64, isLonger: Bool = false) {
        endUsec = max(isLonger ? endUsec : 0, share.time.end(from: startUsec))
        lastUsec = min(share.wanted, share.extended).end(from: startUsec)
        reserve = share.reserve
    }

    /// Moves the end to that of the window that a report of progress names now, or has named.
    ///
    /// - Returns: where it is then, and the time of those that come later; nil when it was as late already.
    mutating func extend(to windowUsec: UInt64? = nil) -> (endUsec: UInt64, reserve: Duration)? {
        promisedUsec = min(windowUsec ?? promisedUsec, lastUsec)
        guard promisedUsec > endUsec else { return nil }
        endUsec = promisedUsec
        return (endUsec, reserve)
    }

    /// Sets the timer for what is left of the share, in place of the one before.
    mutating func setTimer(_ clock: any LifecycleClock, _ body: @escaping () -> Void) {
        timer?.cancel()
        timer = clock.schedule(after: Duration(from: clock.monotonicUsec, to: endUsec), body)
    }

    mutating func cancelTimer() {
        timer?.cancel()
        timer = nil
    }
}

/// Progress as it was reported.
struct ProgressReport {
    /// The time within which the next report, or the end, will come.
    let window: Duration
    /// What was done.
    let text: String?
    /// The same for programs; nil if the report has none.
    var details: UserInfo?
    /// Where the deadline is now, and the reserve of those that come later; nil when the report did not move it.
    let moved: (endUsec: UInt64, reserve: Duration)?
}
