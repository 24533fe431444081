// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// Asynchronous forms of `post` and `perform`, and background tasks as functions.
///
/// In asynchronous code Swift takes these forms of `post` and `perform`. With a completion they do not wait:
///
///     let report = await mediator.post(.flushRequested)
///     mediator.perform(.pause) { _ in }
///
/// The linker keeps every asynchronous function of a library, used or not. So these are compiled into the programs that
/// use them.
extension LifecycleMediator {
    /// Posts a notification, and waits until all listeners are done or out of time. A cancellation of the task that
    /// waits has no effect on the post.
    ///
    /// - Parameters:
    ///   - name: any name except those of transitions, which `perform` delivers.
    ///   - userInfo: additional values.
    ///   - origin: who caused it.
    /// - Returns: how each listener answered.
    @discardableResult
    @_alwaysEmitIntoClient
    public func post(
        _ name: LifecycleNotification.Name, userInfo: UserInfo = [:], origin: LifecycleOrigin = .service
    ) async -> LifecycleReport {
        await withUnsafeContinuation { waiting in
            post(name, userInfo: userInfo, origin: origin) { waiting.resume(returning: $0) }
        }
    }

    /// Posts a typed notification, and waits as `post(_:userInfo:origin:)` does.
    ///
    /// - Returns: how each listener answered.
    @discardableResult
    @_alwaysEmitIntoClient
    public func post<Value: LifecycleEvent>(
        _ event: Value, origin: LifecycleOrigin = .service
    ) async -> LifecycleReport {
        await withUnsafeContinuation { waiting in
            post(event, origin: origin) { waiting.resume(returning: $0) }
        }
    }

    /// Performs a transition, and waits for its end. A cancellation of the task that waits has no effect on the
    /// transition.
    ///
    /// An answer must not wait for a transition, which begins only when the one that the answer belongs to has ended:
    /// the answer would reach its deadline. It uses `perform(_:) { _ in }`.
    ///
    /// - Parameters:
    ///   - trigger: what happened.
    ///   - origin: who caused it.
    ///   - userInfo: as for `perform(_:origin:userInfo:completion:)`.
    /// - Returns: how it ended.
    @discardableResult
    @_alwaysEmitIntoClient
    public func perform(
        _ trigger: LifecycleTrigger, origin: LifecycleOrigin = .service, userInfo: UserInfo = [:]
    ) async -> TransitionReport {
        await withUnsafeContinuation { waiting in
            perform(trigger, origin: origin, userInfo: userInfo) { waiting.resume(returning: $0) }
        }
    }

    /// Does work as a background task, which delays a pause or a stop (`beginBackgroundTask`) and ends with the work.
    /// When the background task expires, or the task that waits is cancelled, the work is cancelled. In each case this
    /// returns when the work has returned.
    ///
    ///     try await mediator.withBackgroundTask("upload", deadline: .seconds(30)) { _ in try await queue.send() }
    ///
    /// - Parameters:
    ///   - name: the name of the background task in reports.
    ///   - deadline: how long it may take from now on.
    ///   - work: the work. It can report progress by the background task that it is given.
    /// - Returns: the result of the work.
    /// - Throws: what the work throws.
    @_alwaysEmitIntoClient
    public func withBackgroundTask<Result: Sendable>(
        _ name: String, deadline: Duration, _ work: @escaping (BackgroundTask) async throws -> Result
    ) async throws -> Result {
        var running: Task<Result, any Error>?
        let task = beginBackgroundTask(named: name, deadline: deadline) { running?.cancel() }
        defer { task.end() }
        let started = Task.immediate { try await work(task) }
        running = started
        // It may have expired before its work waited for the first time.
        if task.isEnded { started.cancel() }
        return try await withTaskCancellationHandler {
            try await started.value
        } onCancel: {
            started.cancel()
        }
    }
}
