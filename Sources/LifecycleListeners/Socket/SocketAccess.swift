// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import BelfryConfiguration
internal import Glibc
package import Varlink

/// Who may do what on the socket, by what the kernel says of the peer.
package nonisolated struct SocketAccess: Sendable, Equatable {
    private let owner: UInt32
    private let group: UInt32?
    private let look: SocketLook

    /// - Parameters:
    ///   - owner: the service's own user.
    ///   - group: the group whose members may change things, if it exists.
    ///   - look: who may read.
    package init(owner: UInt32, group: UInt32?, look: SocketLook) {
        self.owner = owner
        self.group = group
        self.look = look
    }

    /// What the settings say, with the group looked up in the system's database.
    package init(_ settings: SocketSettings) {
        self.init(owner: geteuid(), group: getgrnam(settings.group)?.pointee.gr_gid, look: settings.look)
    }

    /// Root, the service's own user and the members of the group.
    package func mayChange(_ peer: VarlinkPeer) -> Bool {
        peer.uid == 0 || peer.uid == owner || (group.map(peer.isMember) ?? false)
    }

    package func mayLook(_ peer: VarlinkPeer) -> Bool { look == .all || mayChange(peer) }
}
