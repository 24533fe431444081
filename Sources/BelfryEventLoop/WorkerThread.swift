// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import CBelfry
internal import Glibc

/// A thread for one piece of work that would block the loop. It ends with the work.
///
/// Swift's global executor keeps its threads for a while, and never ends the last one. An idle service should have only
/// one thread.
package nonisolated enum WorkerThread {
    private final class Job {
        let run: () -> Void

        init(_ run: @escaping () -> Void) { self.run = run }
    }

    /// Runs `work` on a thread of its own, and then calls `completion` on the main thread with the result.
    ///
    /// If no thread can be created, the work runs before this returns.
    package static func run<Result: Sendable>(
        _ work: @escaping @Sendable () -> Result, then completion: @escaping @MainActor @Sendable (Result) -> Void
    ) {
        let job = Job {
            let result = work()
            MainQueue.async { MainActor.assumeIsolated { completion(result) } }
        }
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        var thread = pthread_t()
        let context = Unmanaged.passRetained(job)
        let failure = pthread_create(&thread, &attributes, start, context.toOpaque())
        if failure != 0 { context.takeRetainedValue().run() }
    }

    private static let start: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { context in
        context.map { Unmanaged<Job>.fromOpaque($0).takeRetainedValue().run() }
        return nil
    }
}
