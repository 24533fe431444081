// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// A signal, with what the kernel says of its sender (sigaction(2), signalfd(2)).
public nonisolated struct SignalOrigin: Sendable, Equatable {
    /// Where a signal comes from.
    public enum Sender: String, Sendable, CaseIterable {
        /// A process that we can see.
        case process
        /// The kernel, as the terminal's interrupt key does.
        case kernel
        /// A process outside of our pid namespace, such as one of the host of a container.
        case outside
    }

    /// The signal's number on this machine.
    public let number: Int32
    /// The signal's name: `SIGTERM`, `SIGRTMIN+5`.
    public let name: String
    /// Where it comes from.
    public let sender: Sender
    /// The sending process; 0 when it lives outside our pid namespace, or the kernel itself sent the signal.
    public let pid: Int32
    /// The real user id of the sender.
    public let uid: UInt32
    /// The systemd unit of the sender, when it could still be found.
    public let unit: String?
    /// The name of the sender's command, when it could still be found.
    public let command: String?
    /// The integer sent with it (sigqueue(3)); 0 when there was none.
    public let value: Int32

    /// A delivery with what is known of its sender. One without a process comes from outside, unless `sender` says
    /// otherwise.
    public init(
        number: Int32, name: String, pid: Int32, uid: UInt32, unit: String? = nil, command: String? = nil,
        value: Int32 = 0, sender: Sender? = nil
    ) {
        self.number = number
        self.name = name
        self.sender = sender ?? (pid > 0 ? .process : .outside)
        self.pid = pid
        self.uid = uid
        self.unit = unit
        self.command = command
        self.value = value
    }
}
