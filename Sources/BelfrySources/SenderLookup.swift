// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryEventLoop
internal import BelfrySystemd

/// Finds the unit and the command of the process that sent a signal. A burst from one sender is looked up once.
final class SenderLookup {
    /// What could be found. A sender that is gone, or out of sight, leaves nothing.
    struct Sender {
        let pid: Int32
        let unit: String?
        let command: String?
    }

    private static let validity: Duration = .milliseconds(50)
    private var last: (sender: Sender, when: MonotonicInstant)?

    /// What there is to know of `pid`, which has just sent a signal.
    func sender(_ pid: Int32, at now: MonotonicInstant) -> Sender {
        if let last, last.sender.pid == pid, now - last.when < Self.validity { return last.sender }
        // The command first: it is the cheaper question, and the sender may be about to end.
        let command = ProcessCommand.of(pid)
        let sender = Sender(pid: pid, unit: ProcessUnit.of(pid), command: command)
        last = (sender, now)
        return sender
    }
}
