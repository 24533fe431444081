// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import BelfryConfiguration
internal import Glibc
package import Varlink

/// Who may do what on the socket, by what the kernel says of the peer.
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
    ///   - audiences: who may do what; nobody does what is not named.
    package init(owner: UInt32, group: UInt32?, _ audiences: [SocketPermission: SocketAudience]) {
        self.owner = owner
        self.group = group
        look = audiences[.look]
        post = audiences[.post]
        control = audiences[.control]
        own = audiences[.own]
    }

    /// What the settings say, with the group looked up in the system's database.
    package init(_ settings: SocketSettings) {
        self.init(
            owner: geteuid(), group: getgrnam(settings.group)?.pointee.gr_gid,
            [.look: settings.look, .post: settings.post, .control: settings.control, .own: .owner])
    }

    /// Whether the peer may do that.
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

/// What a method of the socket does, as far as it takes a permission.
package nonisolated enum SocketPermission: Sendable, CaseIterable {
    /// It reads.
    case look
    /// It posts a notification, asks for an action, has a URL opened.
    case post
    /// It has a say in the service's life: moves it, holds it, listens in order.
    case control
    /// It reads what may hold secrets.
    case own
}
