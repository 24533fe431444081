// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import BelfryConfiguration
internal import Glibc
package import Varlink

/// Decides who may do what on the socket, by the peer's credentials (SO_PEERCRED).
package nonisolated struct SocketAccess: Sendable, Equatable {
    private let owner: UInt32
    private let group: UInt32?
    private let look: SocketAudience?
    private let post: SocketAudience?
    private let control: SocketAudience?
    private let own: SocketAudience?

    /// - Parameters:
    ///   - owner: the service's own user.
    ///   - group: the group whose members are privileged, if it exists.
    ///   - audiences: who has which permission; nobody has a permission that is missing.
    package init(owner: UInt32, group: UInt32?, _ audiences: [SocketPermission: SocketAudience]) {
        self.owner = owner
        self.group = group
        look = audiences[.look]
        post = audiences[.post]
        control = audiences[.control]
        own = audiences[.own]
    }

    /// The permissions that the settings give. The group is looked up in the system's database.
    package init(_ settings: SocketSettings) {
        self.init(
            owner: geteuid(), group: getgrnam(settings.group)?.pointee.gr_gid,
            [.look: settings.look, .post: settings.post, .control: settings.control, .own: .owner])
    }

    /// Whether the peer has a permission.
    package func allows(_ permission: SocketPermission, _ peer: VarlinkPeer) -> Bool {
        switch audience(of: permission) {
        case .all: true
        case .privileged: isOwner(peer) || (group.map(peer.isMember) ?? false)
        case .owner: isOwner(peer)
        case nil: false
        }
    }

    private func audience(of permission: SocketPermission) -> SocketAudience? {
        switch permission {
        case .look: look
        case .post: post
        case .control: control
        case .own: own
        }
    }

    private func isOwner(_ peer: VarlinkPeer) -> Bool { peer.uid == 0 || peer.uid == owner }
}

/// The permission that a method needs.
package nonisolated enum SocketPermission: Sendable, CaseIterable {
    /// To read.
    case look
    /// To post a notification, request an action, or open a URL.
    case post
    /// To control the service: change its state, hold it, attach a listener.
    case control
    /// To read what may contain secrets.
    case own
}
