// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import CBelfry

/// The process at the other end of a connection, as the kernel recorded it when the connection was made (`SO_PEERCRED`,
/// `SO_PEERGROUPS`; unix(7)).
package nonisolated struct VarlinkPeer: Sendable, Hashable {
    /// The process id; 0 if the process is outside the own pid namespace.
    package let pid: Int32
    /// The effective user.
    package let uid: UInt32
    /// The effective group.
    package let gid: UInt32
    /// The supplementary groups.
    package let groups: [UInt32]
    /// Whether the server counts it as a member, whatever its groups are (`isMember` of `VarlinkServer`).
    package var isKnown = false

    /// A peer with these values, for tests.
    package init(pid: Int32, uid: UInt32, gid: UInt32, groups: [UInt32] = []) {
        self.pid = pid
        self.uid = uid
        self.gid = gid
        self.groups = groups
    }

    /// Whether this group is the peer's own group or one of its supplementary groups.
    package func isMember(of group: UInt32) -> Bool { gid == group || groups.contains(group) }

    /// Reads the peer of a connected socket; nil when the kernel does not say.
    init?(of descriptor: Int32) {
        var pid: Int32 = 0
        var uid: UInt32 = 0
        var gid: UInt32 = 0
        guard belfry_peer_credentials(descriptor, &pid, &uid, &gid) >= 0 else { return nil }
        self.init(pid: pid, uid: uid, gid: gid, groups: Self.groups(of: descriptor))
    }

    /// NGROUPS_MAX is 65536 (credentials(7)), but most processes have only a few.
    private static func groups(of descriptor: Int32) -> [UInt32] {
        for capacity in [32, 65536] {
            var count: Int32 = 0
            let groups = [UInt32](unsafeUninitializedCapacity: capacity) { buffer, initialized in
                count = belfry_peer_groups(descriptor, buffer.baseAddress, Int32(capacity))
                initialized = Int(max(count, 0))
            }
            if count >= 0 { return Array(groups) }
        }
        return []
    }
}

nonisolated extension VarlinkPeer: CustomStringConvertible {
    /// `pid 12, uid 0, gid 0`
    package var description: String { "pid \(pid), uid \(uid), gid \(gid)" }
}
