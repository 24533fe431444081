// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// Who may do something on the socket.
package nonisolated enum SocketAudience: String, Sendable, CaseIterable {
    /// Everyone who can connect.
    case all
    /// Root, the service's own user and the members of `Group=`.
    case privileged
    /// Root and the service's own user.
    case owner
}
