// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// Work that a pause or a stop waits for. Made by `LifecycleMediator.beginBackgroundTask`.
@MainActor
public final class BackgroundTask {
    /// Why a task expired.
    package enum Expiry: Sendable {
        /// Its own deadline came.
        case deadline
        /// Its share of the time of the pause or the stop that waits for it was up.
        case share
        /// A second stop came.
        case secondStop
    }

    /// What it is called in reports.
    public let name: String
    private let endsUsec: UInt64
    private let clock: any LifecycleClock
    private weak var list: BackgroundTaskList?
    private var expiration: (() -> Void)?
    private var timer: (any LifecycleTimer)?

    init(
        _ name: String, deadline: Duration, clock: any LifecycleClock, in list: BackgroundTaskList,
        _ expiration: (() -> Void)?
    ) {
        self.name = name
        self.clock = clock
        self.list = list
        self.expiration = expiration
        let deadline = deadline.bounded
        endsUsec = deadline.end(from: clock.monotonicUsec)
        timer = clock.schedule(after: deadline) { [weak self] in self?.expire(.deadline) }
    }

    /// Whether nobody is told that it is waited for: it is the service's own, and short.
    package var isSilent = false

    /// Why it expired; nil when it has not, or ended by itself. Known when `expiration` is called.
    package private(set) var expiry: Expiry?

    /// Whether it has ended or expired.
    public private(set) var isEnded = false

    /// The time until it expires; zero when it has ended.
    public var remainingTime: Duration {
        isEnded ? .zero : Duration(from: clock.monotonicUsec, to: endsUsec)
    }

    /// Says that the work gets on. A pause or a stop that waits for it does so beyond the task's share of its time, up
    /// to the task's own deadline, and asks the service manager for that time.
    ///
    /// - Parameters:
    ///   - window: within which time the next report, or the end, will come.
    ///   - text: what has been done, in a few words for `systemctl status`.
    public func reportProgress(nextWithin window: Duration = .seconds(5), _ text: String? = nil) {
        if !isEnded { list?.wait?.report(self, nextWithin: window.bounded, text) }
    }

    /// Ends it: nobody waits for it any more. Calling it again does nothing. A task that is dropped ends too.
    public func end() {
        guard !isEnded else { return }
        isEnded = true
        timer?.cancel()
        timer = nil
        expiration = nil
        list?.remove(self)
    }

    func expire(_ reason: Expiry) {
        guard !isEnded else { return }
        if expiry == nil { expiry = reason }
        // Whatever the call does, a second stop included, it is not called again.
        let body = expiration
        expiration = nil
        body?()
        end()
    }

    isolated deinit { end() }
}

/// The background tasks under way, and who waits for their end. It does not keep them: a task that is dropped has
/// ended.
final class BackgroundTaskList {
    private struct Reference {
        weak var task: BackgroundTask?
        let number: Int
    }

    private var tasks: [ObjectIdentifier: Reference] = [:]
    private var added = 0
    /// The wait for them that is under way.
    weak var wait: BackgroundTaskWait?

    /// Whether there is none.
    var isEmpty: Bool { tasks.isEmpty }
    /// Those that are under way, in the order in which they began.
    var underWay: [BackgroundTask] { tasks.values.sorted { $0.number < $1.number }.compactMap(\.task) }
    /// What those are called that others are told of.
    var namesToTell: [String] { underWay.filter { !$0.isSilent }.map(\.name) }
    /// The time until all have expired.
    var longestTime: Duration { tasks.values.compactMap { $0.task?.remainingTime }.max() ?? .zero }
    private var waiting: [() -> Void] = []

    func add(_ task: BackgroundTask) {
        tasks[ObjectIdentifier(task)] = Reference(task: task, number: added)
        added += 1
    }

    func remove(_ task: BackgroundTask) {
        tasks[ObjectIdentifier(task)] = nil
        if tasks.isEmpty { endWait() }
    }

    /// Calls `body` when there is no task, which may be now.
    func whenEmpty(_ body: @escaping () -> Void) {
        if tasks.isEmpty { body() } else { waiting.append(body) }
    }

    /// Ends the wait: every task expires, and those that are begun meanwhile come too late to be waited for.
    func expireAll(_ reason: BackgroundTask.Expiry) {
        for reference in tasks.values.sorted(by: { $0.number < $1.number }) { reference.task?.expire(reason) }
        endWait()
    }

    private func endWait() {
        let bodies = waiting
        waiting = []
        for body in bodies { body() }
    }
}

/// The wait of a pause or a stop for background tasks: until they have ended, or until their share of the time is up.
final class BackgroundTaskWait {
    private let tasks: BackgroundTaskList
    private let clock: any LifecycleClock
    private let reserve: Duration
    private let progress: (_ task: String, ProgressReport) -> Void
    private var deadline = MovableDeadline()

    init(
        for tasks: BackgroundTaskList, _ share: TimeShare, clock: any LifecycleClock,
        progress: @escaping (_ task: String, ProgressReport) -> Void
    ) {
        self.tasks = tasks
        self.clock = clock
        self.progress = progress
        reserve = share.reserve
        tasks.wait = self
        retime(share)
    }

    /// Replaces the share by another one that begins now.
    func retime(_ share: TimeShare) {
        deadline.set(share.time, from: clock.monotonicUsec)
        setTimer(share.time)
    }

    /// Ends the wait.
    func end() {
        deadline.cancelTimer()
        tasks.wait = nil
    }

    /// A task reports progress.
    func report(_ task: BackgroundTask, nextWithin window: Duration, _ text: String?) {
        let time = min(window, task.remainingTime)
        let moved = deadline.extend(to: time.end(from: clock.monotonicUsec))
        progress(
            task.name, ProgressReport(window: time, text: text, moved: moved ? (deadline.endUsec, reserve) : nil))
    }

    private func setTimer(_ delay: Duration) {
        deadline.setTimer(after: delay, clock) { [weak self] in self?.timerFired() }
    }

    private func timerFired() {
        if let rest = deadline.rest(at: clock.monotonicUsec) { setTimer(rest) } else { tasks.expireAll(.share) }
    }
}
