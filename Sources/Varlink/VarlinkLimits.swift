// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// What a client can make us allocate. What goes beyond is refused or closed, and others notice nothing.
public nonisolated struct VarlinkLimits: Sendable, Equatable {
    /// Connections in all.
    public var connections = 4096
    /// Connections of one user.
    public var connectionsPerUser = 1024
    /// The longest message that is taken, in bytes.
    public var messageSize = 1 << 20
    /// What the clients of one user may have sent of messages whose end has not come, in bytes, as far as it is more than
    /// 64 KiB of a client. Who goes beyond is closed.
    public var unfinishedBytesPerUser = 16 << 20
    /// What may wait to be sent to one client, in bytes. Beyond it the connection is closed. A single reply may be longer.
    public var queuedBytes = 4 << 20
    /// How many replies may wait to be sent to one client. Beyond it the connection is closed.
    public var queuedReplies = 65536
    /// As long as this many bytes wait to be sent to a client, no further call of that client is begun.
    public var unreadBytes = 96 << 10

    /// The limits that are used unless others are given.
    public init() {}
}
