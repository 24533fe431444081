// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// `[Socket]`.
package nonisolated struct SocketSettings: Sendable, Equatable {
    /// Whether there is a socket.
    package var isEnabled: Bool
    /// Its path, or `@NAME` for an abstract one; nil for the default.
    package var path: String?
    /// The group whose members are privileged; it need not exist.
    package var group: String
    /// Who may read.
    package var look: SocketAudience
    /// Who may post.
    package var post: SocketAudience
    /// Who has a say in the service's life.
    package var control: SocketAudience
    /// Connections at a time.
    package var connectionsMax: Int
    /// Connections of one user at a time.
    package var connectionsPerUserMax: Int
    /// Bytes in one message of a client.
    package var frameMax: Int
    /// Bytes that wait for or from the clients of one user.
    package var memoryPerUserMax: Int
    /// Bytes that wait for or from all clients together.
    package var memoryMax: Int
    /// Notifications that wait for one slow subscriber.
    package var queueMax: Int
    /// Bytes that wait for one slow client.
    package var queueSizeMax: Int
    /// Past notifications kept in memory.
    package var replayMax: Int
    /// Bytes of them.
    package var replaySize: Int

    init(_ section: EffectiveSection) {
        isEnabled = section.boolean("Enabled")
        path = section.text("Path")
        group = section.requiredText("Group")
        look = section.choice("Look")
        post = section.choice("Post")
        control = section.choice("Control")
        connectionsMax = section.integer("ConnectionsMax")
        connectionsPerUserMax = section.integer("ConnectionsPerUserMax")
        frameMax = Int(clamping: section.bytes("FrameMax") ?? .max)
        memoryPerUserMax = Int(clamping: section.bytes("MemoryPerUserMax") ?? .max)
        memoryMax = Int(clamping: section.bytes("MemoryMax") ?? .max)
        queueMax = section.integer("QueueMax")
        queueSizeMax = Int(clamping: section.bytes("QueueSizeMax") ?? .max)
        replayMax = section.integer("ReplayMax")
        replaySize = Int(clamping: section.bytes("ReplaySize") ?? .max)
    }
}

/// Who may do something on the socket.
package nonisolated enum SocketAudience: String, Sendable, CaseIterable {
    /// Everyone who can connect.
    case all
    /// Root, the service's own user and the members of `Group=`.
    case privileged
    /// Root and the service's own user.
    case owner
}
