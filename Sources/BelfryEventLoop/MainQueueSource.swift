// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import CBelfry
internal import BelfryLinux

/// Makes the loop the home of the main actor: when libdispatch has work for the main queue, the loop runs it.
final class MainQueueSource: LoopSource {
    init(on event: OpaquePointer) throws(SystemError) {
        super.init()
        let userdata = userdata
        let descriptor = MainQueue.descriptor
        let events: DescriptorEvents = [.readable, .edgeTriggered]
        try attach("watch", "main queue") {
            sd_event_add_io(event, &$0, descriptor, events.rawValue, Self.callback, userdata)
        }
    }

    /// Runs what the main queue holds now.
    func drain() { MainQueue.drain() }

    private nonisolated static let callback: sd_event_io_handler_t = { _, _, _, userdata in
        fire(MainQueueSource.self, userdata) { $0.drain() }
    }
}
