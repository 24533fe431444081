// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// Who may read on the socket.
package nonisolated enum SocketLook: String, Sendable, CaseIterable {
    /// Everyone who can connect.
    case all
    /// Only those who may also change things.
    case privileged
}
