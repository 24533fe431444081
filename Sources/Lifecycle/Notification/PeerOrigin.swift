// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// The program at the other end of a Unix socket (`SO_PEERCRED`, unix(7)).
public nonisolated struct PeerOrigin: Sendable, Equatable {
    /// Its process id when it connected; 0 when it lives outside our pid namespace.
    public let pid: Int32
    /// Its user id when it connected.
    public let uid: UInt32
    /// Its systemd unit, when it could still be found.
    public let unit: String?
    /// The name of its command, when it could still be found.
    public let command: String?

    /// A program with what is known of it.
    public init(pid: Int32, uid: UInt32, unit: String? = nil, command: String? = nil) {
        self.pid = pid
        self.uid = uid
        self.unit = unit
        self.command = command
    }
}
