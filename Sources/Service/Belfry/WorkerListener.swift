// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import Lifecycle

/// Runs work that lasts as long as the service: from `didFinishLaunching` to `willTerminate`.
package final class WorkerListener: LifecycleListener {
    /// Called when the work has ended or failed, also before its function returns.
    package typealias Ended = @MainActor @Sendable (Result<Void, any Error>) -> Void

    package let name: String
    package let follows: [String]
    private let readiness: [ServiceReadiness]
    private let startDeadline: Duration?
    private let stopDeadline: Duration?
    private let requestEnd: (Task<Void, Never>) async -> Void
    private let onEnd: Ended
    private let run: (@escaping Ended) async throws -> Void
    private var task: Task<Void, Never>?
    private var end: Result<Void, any Error>?
    /// The error of work that was cancelled.
    private var failure: (any Error)?
    private var hasStarted = false
    /// Degraded from a failure on until the work, which has begun again, has lasted as long as it had waited.
    package private(set) var health = ListenerHealth.healthy
    private var recovery: (any LifecycleTimer)?

    /// A listener for work that has not begun.
    ///
    /// - Parameters:
    ///   - readiness: what the launch waits for.
    ///   - requestEnd: asks the work to end. At the deadline its task is cancelled.
    ///   - onEnd: called when the work has ended after its start; after it was cancelled only if it threw within its
    ///     time.
    ///   - run: does the work.
    package init(
        _ name: String, follows: [String], readiness: [ServiceReadiness], startDeadline: Duration?,
        stopDeadline: Duration?, requestEnd: @escaping (Task<Void, Never>) async -> Void,
        onEnd: @escaping Ended, _ run: @escaping (@escaping Ended) async throws -> Void
    ) {
        self.name = name
        self.follows = follows
        self.readiness = readiness
        self.startDeadline = startDeadline
        self.stopDeadline = stopDeadline
        self.requestEnd = requestEnd
        self.onEnd = onEnd
        self.run = run
    }

    package var answers: [LifecycleAnswer] {
        on(.didFinishLaunching, deadline: startDeadline) { [self] _ in try await start() }
        on(.willTerminate, deadline: stopDeadline) { [self] in try await stop($0.trigger) }
    }

    private func start() async throws {
        task = Task.immediate { [self] in
            var result = Result<Void, any Error>.success(())
            do { try await run { [weak self] in self?.ended($0) } } catch { result = .failure(error) }
            guard Task.isCancelled else { return ended(result) }
            if case .failure(let error) = result, end == nil { failure = error }
        }
        for signal in readiness { await signal.wait() }
        try Task.checkCancellation()
        switch end {
        case .failure(let error): throw LifecycleRefusal("unable to start '\(name)': \(error)")
        case .success where !readiness.isEmpty:
            throw LifecycleRefusal("unable to start '\(name)': it ended before it was ready")
        case .success(let end): onEnd(.success(end))
        case nil: hasStarted = true
        }
    }

    /// Does work, and again after each failure since the start, as far as `relaunch` allows it.
    func repeats(
        _ work: () async throws -> Void, _ relaunch: WorkerRelaunch?, in mediator: LifecycleMediator
    ) async throws {
        var failures: [Duration] = []
        while true {
            do { return try await work() } catch {
                // A background task that has expired cancels its part of the work.
                let isOver = Task.isCancelled || mediator.isStopping
                if isOver, error is CancellationError { return }
                guard let relaunch, hasStarted, !isOver else { throw ServiceFailure(of: "'\(name)'", error) }
                guard let delay = relaunch.delay(after: &failures, at: mediator.clock.now.monotonic) else {
                    let limit = "after \(relaunch.burst) relaunches within \(relaunch.interval)"
                    throw ServiceFailure(of: "'\(name)', \(limit)", error)
                }
                recovery?.cancel()
                let count = "\(failures.count) of \(relaunch.burst)"
                set(.degraded("\(error), begins again in \(delay), \(count)"), in: mediator)
                // A stop cancels the wait.
                do { try await mediator.clock.sleep(for: delay) } catch { return }
                set(.degraded("\(error), has begun again, \(count)"), in: mediator)
                recovery = mediator.clock.schedule(after: delay) { [weak self, weak mediator] in
                    if let mediator { self?.set(.healthy, in: mediator) }
                }
            }
        }
    }

    private func set(_ health: ListenerHealth, in mediator: LifecycleMediator) {
        self.health = health
        mediator.checkHealth()
    }

    private func ended(_ result: Result<Void, any Error>) {
        if case .failure = end { return }
        end = result
        recovery?.cancel()
        if case .failure(let error) = result { health = .degraded("\(error)") }
        for signal in readiness { signal.signal() }
        if hasStarted { onEnd(result) }
    }

    private func stop(_ trigger: LifecycleTrigger?) async throws {
        guard let task else { return }
        let known = end
        await withTaskCancellationHandler {
            await requestEnd(task)
            await task.value
        } onCancel: {
            task.cancel()
        }
        if trigger == .stop, let failure, !Task.isCancelled {
            end = .failure(failure)
            onEnd(.failure(failure))
        }
        if known == nil { try end?.get() }
    }
}

extension BelfryService {
    /// Runs work that lasts as long as the service, as a listener.
    ///
    ///     try service.addWorker("jobs") { for await job in queue { try await process(job) } }
    ///
    /// * *Start.* `didFinishLaunching` begins the work, after the listeners that it follows. The launch waits for
    ///   `readiness` if given, and is refused if the work has failed by then, or with `readiness` returned.
    /// * *End.* If it throws, the service stops with exit status 70, as by `fail(_:)`, unless `relaunch` lets it begin
    ///   again: health, `STATUS=` and the log then say so until it has worked as long as it had waited. If it returns,
    ///   the service has done its work: it stops with the reason `finished`, and exit status 0. During a stop a return
    ///   has no effect.
    /// * *Stop.* `willTerminate` cancels the task of the work, and waits for its end until the deadline. An error then,
    ///   other than `CancellationError`, fails the service too.
    /// * *Pause.* It goes on, unless it observes the mediator.
    ///
    /// - Parameters:
    ///   - name: the name of the listener, and of the work in its errors.
    ///   - follows: the listeners that it needs (`LifecycleListener.follows`).
    ///   - readiness: signalled by the work when it is ready; without it, work that has begun is ready.
    ///   - startDeadline: the time for that; nil for the default deadline.
    ///   - stopDeadline: the time for its end at a stop; nil for the default deadline.
    ///   - relaunch: how it begins again after a failure; nil if the service is to fail at once.
    ///   - run: the work.
    /// - Throws: `ListenerOrderError` if the name is in use, or `follows` leads to a cycle.
    public func addWorker(
        _ name: String, follows: [String] = [], readiness: ServiceReadiness? = nil, startDeadline: Duration? = nil,
        stopDeadline: Duration? = nil, relaunch: WorkerRelaunch? = nil, _ run: @escaping () async throws -> Void
    ) throws(ListenerOrderError) {
        weak var listener: WorkerListener?
        let worker = WorkerListener(
            name, follows: follows, readiness: readiness.map { [$0] } ?? [], startDeadline: startDeadline,
            stopDeadline: stopDeadline, requestEnd: { $0.cancel() }, onEnd: { workEnded($0, of: name) }
        ) { _ in try await listener?.repeats(run, relaunch, in: mediator) }
        listener = worker
        try mediator.addListener(worker)
    }

    /// Stops the service when the work of the listener `name` has ended or failed.
    package func workEnded(_ result: Result<Void, any Error>, of name: String) {
        switch result {
        case .failure(let error): fail(error)
        case .success where mediator.isStopping: break
        case .success:
            let userInfo: UserInfo = ["worker": .string(name)]
            mediator.perform(.stop, userInfo: Termination(.finished).userInfo.merging(userInfo) { $1 })
        }
    }
}

/// The error of a part of a service.
package nonisolated struct ServiceFailure: Error, CustomStringConvertible {
    private let part: String
    /// What it threw.
    package let error: any Error

    /// An error of the part of this name.
    package init(of part: String, _ error: any Error) {
        self.part = part
        self.error = error
    }

    package var description: String { "\(part): \(error)" }
}
