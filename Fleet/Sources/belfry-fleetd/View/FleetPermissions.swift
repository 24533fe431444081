// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Glibc
import Varlink

/// Who may control hosts: root, the user of the service, and the members of a group.
nonisolated struct FleetPermissions: Sendable {
    private let owner: UInt32
    private let group: UInt32?

    init(owner: UInt32, group: UInt32?) {
        self.owner = owner
        self.group = group
    }

    /// Looks up the group in the system's database.
    init(group: String) { self.init(owner: geteuid(), group: getgrnam(group)?.pointee.gr_gid) }

    func allowControl(_ peer: VarlinkPeer) -> Bool {
        peer.uid == 0 || peer.uid == owner || (group.map(peer.isMember) ?? false)
    }
}
