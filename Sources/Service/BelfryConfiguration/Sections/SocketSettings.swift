// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// `[Socket]`.
package nonisolated struct SocketSettings: Sendable, Equatable {
    /// Whether there is a socket.
    package var isEnabled: Bool
    /// Its path, or `@NAME` for an abstract one; nil for the default.
    package var path: String?
    /// The name or number of the group whose members are privileged; it need not exist.
    package var group: String
    /// Its number; nil if it does not exist, or was not looked up (`findingGroup`).
    package var groupNumber: UInt32?
    /// Who may read.
    package var look: SocketAudience
    /// Who may post.
    package var post: SocketAudience
    /// Who may pause, reload, hold and attach listeners.
    package var control: SocketAudience
    /// The maximum number of connections.
    package var connectionsMax: Int
    /// The maximum number of connections of one user.
    package var connectionsPerUserMax: Int
    /// The maximum size of a message of a client, in bytes.
    package var frameMax: Int
    /// The maximum of bytes buffered for and from the clients of one user.
    package var memoryPerUserMax: Int
    /// The maximum of bytes buffered for and from all clients.
    package var memoryMax: Int
    /// The maximum of past notifications in memory.
    package var replayMax: Int
    /// The maximum of bytes of past notifications in memory.
    package var replaySize: Int

    init(_ section: SectionReader) {
        isEnabled = section.boolean("Enabled", default: true)
        path = section.optional("Path", AbsolutePath.parseSocket)
        group = section.value("Group", AccountName.parse, default: "belfry")
        look = section.choice("Look", default: .all)
        post = section.choice("Post", default: .privileged)
        control = section.choice("Control", default: .privileged)
        connectionsMax = section.integer("ConnectionsMax", in: 1...65536, default: 4096)
        connectionsPerUserMax = section.integer("ConnectionsPerUserMax", in: 1...65536, default: 1024)
        frameMax = section.size("FrameMax", in: 4096...(64 << 20), default: "1M")
        memoryPerUserMax = section.size("MemoryPerUserMax", in: (1 << 20)...(1 << 30), default: "64M")
        memoryMax = section.size("MemoryMax", in: (1 << 20)...(4 << 30), default: "96M")
        replayMax = section.integer("ReplayMax", in: 0...1_048_576, default: 8192)
        replaySize = section.size("ReplaySize", in: 65536...(1 << 30), default: "4M")
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
