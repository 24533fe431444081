// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// The wait of a pause or a stop for background tasks: until they have ended, or until their share of the time is up.
final class BackgroundTaskWait {
    /// What is told while it goes on: which task gets on, and when the time is up now, if that has moved.
    typealias Progress = (
        _ task: String, _ window: Duration, _ text: String?, _ moved: (until: UInt64, reserve: Duration)?
    ) -> Void

    private let tasks: BackgroundTaskList
    private let clock: any LifecycleClock
    private let reserve: Duration
    private let progress: Progress
    private var endUsec: UInt64
    private var hasMoved = false
    private var timer: (any LifecycleTimer)?

    init(for tasks: BackgroundTaskList, _ share: TimeShare, clock: any LifecycleClock, progress: @escaping Progress) {
        self.tasks = tasks
        self.clock = clock
        self.progress = progress
        reserve = share.reserve
        endUsec = share.time.end(from: clock.monotonicUsec)
        tasks.onProgress = { [unowned self] in note($0, nextWithin: $1, $2) }
        setTimer(share.time)
    }

    /// The time for all is another now, and so is the share, from now on.
    func retime(_ share: TimeShare) {
        endUsec = share.time.end(from: clock.monotonicUsec)
        timer?.cancel()
        setTimer(share.time)
    }

    /// Ends the wait.
    func end() {
        timer?.cancel()
        timer = nil
        tasks.onProgress = nil
    }

    private func setTimer(_ delay: Duration) {
        timer = clock.schedule(after: delay) { [unowned self] in
            let now = clock.monotonicUsec
            guard hasMoved, endUsec > now else { return tasks.expireAll(.share) }
            hasMoved = false
            setTimer(.microseconds(endUsec - now))
        }
    }

    private func note(_ task: BackgroundTask, nextWithin window: Duration, _ text: String?) {
        let time = min(window, task.remainingTime)
        let until = time.end(from: clock.monotonicUsec)
        let moves = until > endUsec
        if moves {
            endUsec = until
            hasMoved = true
        }
        progress(task.name, time, text, moves ? (until, reserve) : nil)
    }
}

/// A listener, or a background task, gets on with what a transition waits for.
public nonisolated struct LifecycleProgress: Sendable, Equatable {
    /// The transition that waits: a stop also where it waits for another one that is under way.
    public let trigger: LifecycleTrigger
    /// Who gets on.
    public let name: String
    /// With what, in its own words.
    public let text: String?
    /// Within which time it will report again, or be done.
    public let window: Duration
    /// The time that it has from now on.
    public let remaining: Duration
    /// Whether that goes beyond what it had at its beginning.
    public let isExtended: Bool
}
