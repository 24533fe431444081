// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// Work that delays a pause or a stop. Made by `LifecycleMediator.beginBackgroundTask`.
@MainActor
public final class BackgroundTask {
    /// The reason why a task expired.
    package enum Expiry: Sendable {
        /// It reached its own deadline.
        case deadline
        /// Its share of the time of the pause or the stop was used up.
        case share
        /// A second stop came.
        case secondStop
    }

    /// Its name in reports.
    public let name: String
    fileprivate let endsUsec: UInt64
    private let clock: any LifecycleClock
    private weak var list: BackgroundTaskList?
    /// Its place in the order in which tasks began.
    fileprivate var number = 0
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
        list.add(self)
        timer = clock.schedule(after: deadline) { [weak self] in self?.expire(.deadline) }
    }

    /// The reason why it expired; nil if it did not. Set before `expiration` is called.
    package private(set) var expiry: Expiry?

    /// Whether it has ended or expired.
    public private(set) var isEnded = false

    /// The time until it expires; zero after its end.
    public var remainingTime: Duration {
        isEnded ? .zero : Duration(from: clock.monotonicUsec, to: endsUsec)
    }

    /// Reports progress. A pause or a stop that waits for the task then waits beyond the task's share, up to the task's
    /// own deadline, and the service manager is asked for the time.
    ///
    /// - Parameters:
    ///   - window: the time within which the next report, or the end, will come.
    ///   - text: what was done, in a few words for `systemctl status`.
    public func reportProgress(nextWithin window: Duration = .seconds(5), _ text: String? = nil) {
        if !isEnded { list?.wait?.report(self, nextWithin: window.bounded, text) }
    }

    /// Ends the task. Further calls have no effect. A pause or a stop that waits for nothing else goes on before this
    /// returns. A task also ends when it is released; the pause or the stop then goes on in the next turn of the loop.
    public func end() {
        guard close() else { return }
        list?.remove(number)
    }

    func expire(_ reason: Expiry) {
        guard !isEnded else { return }
        if expiry == nil { expiry = reason }
        // Cleared first: the call may itself ask for a second stop, which expires all tasks again.
        let body = expiration
        expiration = nil
        body?()
        end()
    }

    /// Returns false if it was closed before.
    private func close() -> Bool {
        guard !isEnded else { return false }
        isEnded = true
        timer?.cancel()
        timer = nil
        expiration = nil
        return true
    }

    // Not `end()`: it may be released in the middle of anything, such as a change of the property that holds it, and
    // listeners that are told within the change may use that property.
    isolated deinit { if close() { list?.removeReleased(number, clock) } }
}

/// The background tasks under way, and the calls to make when there are none left. It does not own the tasks.
final class BackgroundTaskList {
    private struct Reference {
        weak var task: BackgroundTask?
    }

    /// By number.
    private var tasks: [Int: Reference] = [:]
    private var added = 0
    /// The wait for them that is under way.
    weak var wait: BackgroundTaskWait?

    /// Whether there is none.
    var isEmpty: Bool { tasks.isEmpty }
    /// The tasks, in the order in which they began.
    var underWay: [BackgroundTask] { tasks.keys.sorted().compactMap { tasks[$0]?.task } }
    /// Their names, in that order.
    var names: [String] { underWay.map(\.name) }
    /// When the last task expires, by the monotonic clock.
    var lastEndUsec: UInt64 { tasks.values.compactMap { $0.task?.endsUsec }.max() ?? 0 }
    private var waiting: [() -> Void] = []
    /// How often the wait has ended.
    private var ended = 0
    /// Ends the wait, after the last task was released.
    private var release: (any LifecycleTimer)?

    fileprivate func add(_ task: BackgroundTask) {
        added += 1
        task.number = added
        tasks[added] = Reference(task: task)
        wait?.retime(isLonger: true)
    }

    fileprivate func remove(_ number: Int) {
        tasks[number] = nil
        endWaitIfEmpty()
    }

    /// Removes a task, and makes the calls that waited for it in the next turn of the loop.
    fileprivate func removeReleased(_ number: Int, _ clock: any LifecycleClock) {
        tasks[number] = nil
        guard tasks.isEmpty, !waiting.isEmpty else { return }
        release?.cancel()
        release = clock.schedule(after: .zero) { [weak self] in self?.endWaitIfEmpty() }
    }

    private func endWaitIfEmpty() {
        if tasks.isEmpty { endWait() }
    }

    /// Calls `body` when there are no tasks, which may be now.
    func whenEmpty(_ body: @escaping () -> Void) {
        if tasks.isEmpty { body() } else { waiting.append(body) }
    }

    /// Expires every task, and ends the wait. It does not wait for tasks that are begun meanwhile, but for those of the
    /// next wait.
    func expireAll(_ reason: BackgroundTask.Expiry) {
        let before = ended
        for task in underWay { task.expire(reason) }
        if ended == before { endWait() }
    }

    /// Ends the wait. The tasks go on.
    func endWait() {
        release?.cancel()
        release = nil
        ended += 1
        let bodies = waiting
        waiting = []
        for body in bodies { body() }
    }
}

/// The wait of a pause or a stop for background tasks, also for those that begin meanwhile: until they have ended, or
/// until their share of the time is up. When it begins: `checkTasks` in `TransitionRunner`.
final class BackgroundTaskWait {
    private let tasks: BackgroundTaskList
    private let clock: any LifecycleClock
    /// The share of all tasks in the time from a moment on.
    private let share: (_ startUsec: UInt64) -> TimeShare
    private let expiresTasks: Bool
    private let progress: (_ task: String, ProgressReport) -> Void
    private var deadline = MovableDeadline()
    /// The beginning of the time that was divided.
    private var startUsec: UInt64 = 0

    /// - Parameter expiresTasks: whether the tasks expire at the end of the share; otherwise they go on.
    init(
        for tasks: BackgroundTaskList, clock: any LifecycleClock, expiresTasks: Bool,
        share: @escaping (_ startUsec: UInt64) -> TimeShare,
        progress: @escaping (_ task: String, ProgressReport) -> Void
    ) {
        self.tasks = tasks
        self.clock = clock
        self.share = share
        self.progress = progress
        self.expiresTasks = expiresTasks
        tasks.wait = self
        retime()
    }

    /// Divides the time that is left again.
    ///
    /// - Parameter isLonger: a task has begun. The share becomes what it would be if the task had been there from the
    ///   beginning.
    func retime(isLonger: Bool = false) {
        if !isLonger { startUsec = clock.monotonicUsec }
        let share = share(startUsec)
        deadline.set(share, from: startUsec, isLonger: isLonger)
        // If the time is enough for all, the wait ends with the last task.
        if share.time < share.wanted { setTimer() } else { deadline.cancelTimer() }
    }

    /// Ends the wait.
    func end() {
        deadline.cancelTimer()
        tasks.wait = nil
    }

    /// A task reports progress.
    func report(_ task: BackgroundTask, nextWithin window: Duration, _ text: String?) {
        let time = min(window, task.remainingTime)
        let moved = expiresTasks ? deadline.extend(to: time.end(from: clock.monotonicUsec)) : nil
        progress(task.name, ProgressReport(window: time, text: text, moved: moved))
    }

    private func setTimer() { deadline.setTimer(clock) { [weak self] in self?.timerFired() } }

    private func timerFired() {
        guard deadline.endUsec <= clock.monotonicUsec else { return setTimer() }
        if expiresTasks { tasks.expireAll(.share) } else { tasks.endWait() }
    }
}
