// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import BelfryLinux
internal import CBelfry
internal import Glibc

/// Watches signals. Each delivery that the kernel has queued calls the handler once, with sender and value. Of those
/// that wait, the lowest number comes first. Real-time signals are not merged.
///
/// A service built on `Belfry` maps signals in its configuration instead. Source: signalfd(2), signal(7).
///
/// The descriptor is our own. A signal source of sd-event shares one with the others of its priority, and a set that is
/// left with nothing but signals above 32 counts as empty there: sigisemptyset(3) of glibc 2.36 looks at the lower half
/// of a word.
package final class SignalEventSource: LoopSource {
    private let handler: (ReceivedSignal) -> Void
    private let descriptor: OwnedDescriptor
    private var watched: Set<Int32>

    init(
        _ numbers: Set<Int32>, on event: OpaquePointer, _ handler: @escaping (ReceivedSignal) -> Void
    ) throws(SystemError) {
        self.handler = handler
        watched = numbers
        descriptor = OwnedDescriptor(owning: try Self.signalDescriptor(-1, numbers))
        super.init()
        let userdata = userdata
        try attach("watch descriptor", "\(descriptor.number)") { [number = descriptor.number] in
            sd_event_add_io(event, &$0, number, EPOLLIN.rawValue, Self.callback, userdata)
        }
    }

    /// Watches these signals from now on, and no others. What the kernel has queued stays queued. The same set again
    /// makes no system call.
    ///
    /// - Throws: `EBUSY` for a signal that is not blocked in this thread.
    package func watch(_ numbers: Set<Int32>) throws(SystemError) {
        guard numbers != watched else { return }
        _ = try Self.signalDescriptor(descriptor.number, numbers)
        watched = numbers
    }

    private static func signalDescriptor(
        _ present: Int32, _ numbers: Set<Int32>
    ) throws(SystemError) -> Int32 {
        var blocked = sigset_t()
        pthread_sigmask(SIG_SETMASK, nil, &blocked)
        var watched = sigset_t()
        sigemptyset(&watched)
        for number in numbers {
            guard sigismember(&blocked, number) == 1 else {
                throw SystemError(EBUSY, verb: "watch signal", object: "\(number)")
            }
            sigaddset(&watched, number)
        }
        let result = signalfd(present, &watched, Int32(SFD_NONBLOCK | SFD_CLOEXEC))
        return try SystemError.check(result < 0 ? -errno : result, verb: "watch", object: "signals")
    }

    private func receive() {
        var info = signalfd_siginfo()
        let size = MemoryLayout<signalfd_siginfo>.size
        // Another signal of the same turn may have changed what is watched.
        guard read(descriptor.number, &info, size) == size else { return }
        handler(ReceivedSignal(info))
    }

    private nonisolated static let callback: sd_event_io_handler_t = { _, _, _, userdata in
        fire(SignalEventSource.self, userdata, ()) { source, _ in source.receive() }
    }
}

/// One delivery of a signal (signalfd(2)).
package nonisolated struct ReceivedSignal: Sendable, Equatable {
    /// The signal's number.
    package let number: Int32
    /// How it was sent (`SI_USER`, `SI_QUEUE`, `SI_KERNEL`, …; sigaction(2)).
    package let code: Int32
    /// The sending process; 0 if it is outside the own pid namespace, or if the kernel sent the signal.
    package let senderPID: Int32
    /// The real user id of the sender.
    package let senderUID: UInt32
    /// Whether the kernel itself sent it, as for the terminal's interrupt key.
    package var isFromKernel: Bool { code == SI_KERNEL }
    /// The integer that came with it (sigqueue(3)); 0 for a plain kill(2).
    package let value: Int32

    init(_ info: signalfd_siginfo) {
        number = Int32(bitPattern: info.ssi_signo)
        code = info.ssi_code
        senderPID = Int32(bitPattern: info.ssi_pid)
        senderUID = info.ssi_uid
        value = info.ssi_int
    }
}
