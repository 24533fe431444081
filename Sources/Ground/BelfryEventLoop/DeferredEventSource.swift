// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import CBelfry
internal import BelfryLinux

/// Work for the next turn of the loop. However often `schedule()` was called, it runs once.
///
/// Source: sd_event_add_defer(3).
package final class DeferredEventSource: LoopSource {
    private let handler: () -> Void

    init(on event: OpaquePointer, _ handler: @escaping () -> Void) throws(SystemError) {
        self.handler = handler
        super.init()
        let userdata = userdata
        try attach("defer", "work") { sd_event_add_defer(event, &$0, Self.callback, userdata) }
        isEnabled = false
    }

    /// Runs the work in the next turn of the loop.
    package func schedule() { isEnabled = true }

    override var firingMode: Int32 { Int32(SD_EVENT_ONESHOT) }

    private nonisolated static let callback: sd_event_handler_t = { _, userdata in
        fire(DeferredEventSource.self, userdata, ()) { source, _ in source.handler() }
    }
}
