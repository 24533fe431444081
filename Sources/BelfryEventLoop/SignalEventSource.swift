// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import CBelfry
internal import BelfryLinux

/// Watches one signal. Every delivery that the kernel queued arrives on its own and whole: real-time signals do not
/// merge, and sender and value are kept.
///
/// The signal must be blocked in every thread before the source is made. Source: sd_event_add_signal(3), signalfd(2).
public final class SignalEventSource: LoopSource {
    private let handler: (ReceivedSignal) -> Void

    init(_ number: Int32, on event: OpaquePointer, _ handler: @escaping (ReceivedSignal) -> Void) throws(SystemError) {
        self.handler = handler
        super.init()
        let userdata = userdata
        try attach("watch signal", "\(number)") { sd_event_add_signal(event, &$0, number, Self.callback, userdata) }
    }

    private nonisolated static let callback: sd_event_signal_handler_t = { _, info, userdata in
        guard let info else { return 0 }
        let signal = ReceivedSignal(info.pointee)
        return fire(SignalEventSource.self, userdata) { $0.handler(signal) }
    }
}
