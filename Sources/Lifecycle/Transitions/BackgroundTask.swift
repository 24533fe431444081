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
        if !isEnded { list?.onProgress?(self, window.bounded, text) }
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
    /// Hears of progress while somebody waits.
    var onProgress: ((_ task: BackgroundTask, _ window: Duration, _ text: String?) -> Void)?

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
