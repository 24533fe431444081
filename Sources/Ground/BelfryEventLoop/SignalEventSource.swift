// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryLinux
internal import CBelfry

/// Watches one signal. Each delivery that the kernel has queued calls the handler once, with sender and value.
/// Real-time signals are not merged.
///
/// The signal must be blocked in every thread before the source is made. A service built on `Belfry` maps signals in its
/// configuration instead. Source: sd_event_add_signal(3), signalfd(2).
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
        return fire(SignalEventSource.self, userdata, ReceivedSignal(info.pointee)) { $0.handler($1) }
    }
}

/// One delivery of a signal (signalfd(2)).
public nonisolated struct ReceivedSignal: Sendable, Equatable {
    /// The signal's number.
    public let number: Int32
    /// How it was sent (`SI_USER`, `SI_QUEUE`, `SI_KERNEL`, …; sigaction(2)).
    public let code: Int32
    /// The sending process; 0 if it is outside the own pid namespace, or if the kernel sent the signal.
    public let senderPID: Int32
    /// The real user id of the sender.
    public let senderUID: UInt32
    /// Whether the kernel itself sent it, as for the terminal's interrupt key.
    public var isFromKernel: Bool { code == SI_KERNEL }
    /// The integer that came with it (sigqueue(3)); 0 for a plain kill(2).
    public let value: Int32

    /// A delivery with these values, for tests and for sources other than signalfd.
    package init(number: Int32, code: Int32 = 0, senderPID: Int32, senderUID: UInt32, value: Int32 = 0) {
        self.number = number
        self.code = code
        self.senderPID = senderPID
        self.senderUID = senderUID
        self.value = value
    }

    init(_ info: signalfd_siginfo) {
        self.init(
            number: Int32(bitPattern: info.ssi_signo), code: info.ssi_code, senderPID: Int32(bitPattern: info.ssi_pid),
            senderUID: info.ssi_uid, value: info.ssi_int)
    }
}
