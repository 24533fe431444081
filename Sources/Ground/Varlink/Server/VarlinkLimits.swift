// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// Limits on what clients can make a server allocate. A call or connection that exceeds a limit is refused or closed.
/// Other clients are not affected.
package nonisolated struct VarlinkLimits: Sendable, Equatable {
    /// Connections in all.
    package var connections = 4096
    /// Connections of one user.
    package var connectionsPerUser = 1024
    /// Connections beyond `connections` for root and the server's own user, so that others cannot lock them out.
    package var reservedConnections = 16
    /// The group for whose members, as for root and the server's own user, a quarter of the connections is kept. Nil
    /// keeps nothing.
    package var group: UInt32?
    /// The longest message that is accepted, in bytes.
    package var messageSize = 1 << 20
    /// Memory for the connections of one user, in bytes: incomplete messages, parameters of calls that wait for a
    /// reply, and replies that the clients have not read. Beyond this limit the largest connection is closed.
    package var memoryPerUser = 64 << 20
    /// Memory for all connections, in bytes. Beyond this limit the largest connection of the largest user is closed.
    package var memory = 96 << 20
    /// Memory in the kernel for the unread replies of one connection, in bytes (`SO_SNDBUF`, socket(7); the kernel
    /// doubles it for its own use).
    package var sendBuffer = 16 << 10
    /// Bytes that may wait to be sent to one client. Beyond this limit the connection is closed. A single reply may be
    /// longer.
    package var queuedBytes = 4 << 20
    /// Replies that may wait to be sent to one client. Beyond this limit the connection is closed.
    package var queuedReplies = 65536
    /// While this many bytes wait to be sent to a client, no further call of that client is handled.
    package var unreadBytes = 96 << 10

    /// The default limits.
    package init() {}
}

nonisolated extension VarlinkLimits {
    /// How many connections strangers may have together.
    var connectionsOfStrangers: Int { group == nil ? connections : connections - connections / 4 }

    /// Why a client is refused; nil if there is room for it.
    ///
    /// - Parameter open: the connections that are open: all, those of strangers, and those of the client's user.
    func refusal(of kind: ClientKind, open: (all: Int, strangers: Int, user: Int)) -> VarlinkProblem.Kind? {
        let limit = connections + (kind == .owner ? reservedConnections : 0)
        if open.all >= limit { return .tooManyConnections(limit: connections) }
        if kind == .stranger, open.strangers >= connectionsOfStrangers {
            return .tooManyConnectionsOfStrangers(limit: connectionsOfStrangers)
        }
        if open.user >= connectionsPerUser { return .tooManyConnectionsOfUser(limit: connectionsPerUser) }
        return nil
    }
}
