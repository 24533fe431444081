// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import BelfryConfiguration
internal import BelfrySystemd
package import Varlink

/// Decides who may do what on the socket, by the peer's credentials (SO_PEERCRED).
package nonisolated struct SocketPermissions: Sendable {
    private let look: SocketAudience
    private let post: SocketAudience
    private let control: SocketAudience
    private let owner: UInt32
    let group: UInt32?

    /// The permissions that the settings give, to the service's own user and to the group, if there is one.
    package init(_ settings: SocketSettings, owner: UInt32, group: UInt32?) {
        look = settings.look
        post = settings.post
        control = settings.control
        self.owner = owner
        self.group = group
    }

    /// Whether a peer is the program that runs the commands of this application. It is in the control group of its
    /// unit, and the commands are in groups below it: they have no permission by that.
    static func isProgram(of application: String?, _ peer: VarlinkPeer) -> Bool {
        guard let application, let unit = ProcessUnit.of(peer.pid) else { return false }
        return !unit.isBelow && !unit.isOfUser && unit.name.hasSameBytes(as: "belfry-listener@\(application).service")
    }

    /// Whether the peer has a permission.
    package func allows(_ permission: SocketPermission, _ peer: VarlinkPeer) -> Bool {
        if permission == .attach, peer.isKnown { return true }
        return switch audience(of: permission) {
        case .all: true
        case .privileged: isOwner(peer) || (group.map(peer.isMember) ?? false)
        case .owner: isOwner(peer)
        }
    }

    /// Whether the client of a request has a permission. A client without it is recorded.
    @MainActor
    func admits(_ request: VarlinkRequest, to permission: SocketPermission, _ clients: ClientLog) -> Bool {
        if allows(permission, request.peer) { return true }
        clients.refused(request.method, request.peer)
        return false
    }

    private func audience(of permission: SocketPermission) -> SocketAudience {
        switch permission {
        case .look: look
        case .post: post
        case .control, .attach: control
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
    /// To control the service: change its state, hold it.
    case control
    /// To attach a listener, and to answer for it. The program of an application has it besides who may control.
    case attach
}
