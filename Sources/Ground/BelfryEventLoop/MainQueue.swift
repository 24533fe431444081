// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import CBelfry

/// The queue of the main actor, as far as the loop needs it.
///
/// CoreFoundation's run loop on Linux uses the same two hooks. They are not public API, so a test checks that they
/// exist. A `SerialExecutor` with an eventfd could replace them, and would be a little slower.
nonisolated enum MainQueue {
    /// Readable when the queue holds work.
    static var descriptor: Int32 { queueHandle() }

    /// Runs what the queue holds now. On the main thread only.
    static func drain() { drainQueue(nil) }

    /// Runs `work` later on the main thread, in the order of the calls.
    static func async(_ work: @escaping @Sendable () -> Void) {
        belfry_main_queue_async(Work.passed(work)) { Work.run($0) }
    }
}

/// A closure that goes through C to another thread.
nonisolated final class Work {
    private let closure: @Sendable () -> Void

    private init(_ closure: @escaping @Sendable () -> Void) { self.closure = closure }

    /// The pointer that C passes on. `run(_:)` must be called with it, once.
    static func passed(_ closure: @escaping @Sendable () -> Void) -> UnsafeMutableRawPointer {
        Unmanaged.passRetained(Work(closure)).toOpaque()
    }

    /// Calls the closure.
    static func run(_ pointer: UnsafeMutableRawPointer?) {
        pointer.map { Unmanaged<Work>.fromOpaque($0).takeRetainedValue().closure() }
    }
}

@_silgen_name("_dispatch_get_main_queue_handle_4CF")
private nonisolated func queueHandle() -> Int32

@_silgen_name("_dispatch_main_queue_callback_4CF")
private nonisolated func drainQueue(_ message: UnsafeMutableRawPointer?)

/// Keeps a task, and its child tasks, on the main thread even between two steps of main-actor code.
///
/// A task that waits for a continuation is normally resumed through the global executor, which starts worker threads
/// for this. A task made by `task(_:)` has this executor as its preference (SE-0417) and needs no worker threads. Its
/// `nonisolated` code also runs on the main thread, so use a detached task for long work.
package final nonisolated class MainThreadExecutor: TaskExecutor {
    /// The only one: there is one main thread.
    package static let shared = MainThreadExecutor()

    private init() {}

    /// Starts a task that stays on the main thread.
    @discardableResult
    package static func task<Success: Sendable>(
        _ body: @escaping @MainActor @Sendable () async -> Success
    ) -> Task<Success, Never> {
        Task(executorPreference: shared) { await body() }
    }

    /// Runs the job on the main thread.
    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let executor = asUnownedTaskExecutor()
        MainQueue.async {
            job.runSynchronously(isolatedTo: MainActor.sharedUnownedExecutor, taskExecutor: executor)
        }
    }
}
