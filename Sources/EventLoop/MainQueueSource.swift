// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import CSystemd
internal import Dispatch  // for its library: the two hooks below live there
internal import SystemErrors

/// Makes the loop the home of the main actor: when libdispatch has work for the main queue, the loop runs it.
///
/// The two hooks are the ones CoreFoundation's run loop uses on Linux. They are not public API, so a test guards them;
/// if they go, a `SerialExecutor` fed through an eventfd does the same a little slower.
final class MainQueueSource: LoopSource {
    init(on event: OpaquePointer) throws(SystemError) {
        super.init()
        let userdata = userdata
        let handle = mainQueueHandle()
        let events: DescriptorEvents = [.readable, .edgeTriggered]
        try attach("watch", "main queue") {
            sd_event_add_io(event, &$0, handle, events.rawValue, Self.callback, userdata)
        }
    }

    /// Runs what the main queue holds now.
    func drain() { drainMainQueue(nil) }

    private nonisolated static let callback: sd_event_io_handler_t = { _, _, _, userdata in
        fire(MainQueueSource.self, userdata) { $0.drain() }
    }
}

@_silgen_name("_dispatch_get_main_queue_handle_4CF")
private nonisolated func mainQueueHandle() -> Int32

@_silgen_name("_dispatch_main_queue_callback_4CF")
private nonisolated func drainMainQueue(_ message: UnsafeMutableRawPointer?)
