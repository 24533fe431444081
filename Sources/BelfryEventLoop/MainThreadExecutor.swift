// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// Keeps a task, and its child tasks, on the main thread even between two steps of main-actor code.
///
/// A task that waits for a continuation is resumed by way of the global executor, which starts worker threads only to
/// hop back at once. A task made by `task(_:)` has this executor as its preference (SE-0417) and needs none. What it
/// does in `nonisolated` code also runs here, so long work belongs into a detached task.
public final nonisolated class MainThreadExecutor: TaskExecutor {
    /// The only one: there is one main thread.
    public static let shared = MainThreadExecutor()

    private init() {}

    /// Starts a task that stays on the main thread.
    @discardableResult
    public static func task<Success: Sendable>(
        _ body: @escaping @MainActor @Sendable () async -> Success
    ) -> Task<Success, Never> {
        Task(executorPreference: shared) { await body() }
    }

    /// Runs the job on the main thread.
    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let executor = asUnownedTaskExecutor()
        MainQueue.async {
            job.runSynchronously(isolatedTo: MainActor.sharedUnownedExecutor, taskExecutor: executor)
        }
    }
}
