// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// What clients can make a server allocate. What goes beyond is refused or closed, and others notice nothing.
public nonisolated struct VarlinkLimits: Sendable, Equatable {
    /// Connections in all.
    public var connections = 4096
    /// Connections of one user.
    public var connectionsPerUser = 1024
    /// Connections beyond `connections` for root and the user that the server runs as, so that others cannot lock them out.
    public var reservedConnections = 16
    /// The longest message that is taken, in bytes.
    public var messageSize = 1 << 20
    /// What the connections of one user may hold, in bytes: messages that are not complete, the parameters of calls that wait
    /// for an answer, and replies that the clients have not read. Beyond it the connection that holds most is closed.
    public var memoryPerUser = 64 << 20
    /// What all connections may hold. Beyond it the user that holds most loses the connection that holds most.
    public var memory = 96 << 20
    /// What the kernel may hold for one connection of what the client has not read, in bytes (`SO_SNDBUF`, socket(7); the
    /// kernel doubles it for its own use).
    public var sendBuffer = 16 << 10
    /// What may wait to be sent to one client, in bytes. Beyond it the connection is closed. A single reply may be longer.
    public var queuedBytes = 4 << 20
    /// How many replies may wait to be sent to one client. Beyond it the connection is closed.
    public var queuedReplies = 65536
    /// As long as this many bytes wait to be sent to a client, no further call of that client is begun.
    public var unreadBytes = 96 << 10

    /// The limits that are used unless others are given.
    public init() {}
}
