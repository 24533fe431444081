// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import CBelfry

/// The queue of the main actor, as far as the loop needs it.
///
/// The two hooks are the ones CoreFoundation's run loop uses on Linux. They are not public API, so a test guards them;
/// if they go, a `SerialExecutor` fed through an eventfd does the same a little slower.
nonisolated enum MainQueue {
    private final class Work {
        let run: @Sendable () -> Void

        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    /// Readable when the queue holds work.
    static var descriptor: Int32 { queueHandle() }

    /// Runs what the queue holds now. On the main thread only.
    static func drain() { drainQueue(nil) }

    /// Has `work` run on the main thread, in the order of the calls.
    static func async(_ work: @escaping @Sendable () -> Void) {
        belfry_main_queue_async(Unmanaged.passRetained(Work(work)).toOpaque()) { context in
            context.map { Unmanaged<Work>.fromOpaque($0).takeRetainedValue().run() }
        }
    }
}

@_silgen_name("_dispatch_get_main_queue_handle_4CF")
private nonisolated func queueHandle() -> Int32

@_silgen_name("_dispatch_main_queue_callback_4CF")
private nonisolated func drainQueue(_ message: UnsafeMutableRawPointer?)
