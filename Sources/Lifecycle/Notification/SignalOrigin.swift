// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// A signal, with what the kernel says of its sender (sigaction(2), signalfd(2)).
public nonisolated struct SignalOrigin: Sendable, Equatable {
    /// The signal's number on this machine.
    public let number: Int32
    /// The signal's name: `SIGTERM`, `SIGRTMIN+5`.
    public let name: String
    /// The sending process; 0 when it lives outside our pid namespace, or the kernel itself sent the signal.
    public let pid: Int32
    /// The real user id of the sender.
    public let uid: UInt32
    /// The systemd unit of the sender, when it could still be found.
    public let unit: String?
    /// The integer sent with it (sigqueue(3)); 0 when there was none.
    public let value: Int32

    /// A delivery with what is known of its sender.
    public init(number: Int32, name: String, pid: Int32, uid: UInt32, unit: String? = nil, value: Int32 = 0) {
        self.number = number
        self.name = name
        self.pid = pid
        self.uid = uid
        self.unit = unit
        self.value = value
    }
}
