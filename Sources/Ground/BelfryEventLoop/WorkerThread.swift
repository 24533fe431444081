// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import CBelfry
internal import Glibc

/// A thread for one piece of work that would block the loop. It ends with the work.
///
/// Swift's global executor keeps its threads for a while, and never ends the last one. An idle service should have only
/// one thread.
package nonisolated enum WorkerThread {
    /// Runs `work` on a thread of its own, and then calls `completion` on the main thread with the result.
    ///
    /// If no thread can be created, the work runs before this returns.
    package static func run<Result: Sendable>(
        _ work: @escaping @Sendable () -> Result, then completion: @escaping @MainActor @Sendable (Result) -> Void
    ) {
        let context = Work.passed {
            let result = work()
            MainQueue.async { MainActor.assumeIsolated { completion(result) } }
        }
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        var thread = pthread_t()
        let start: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = {
            Work.run($0)
            return nil
        }
        if pthread_create(&thread, &attributes, start, context) != 0 { Work.run(context) }
    }
}
