// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfrySystemd
internal import Glibc

nonisolated extension FileAccount {
    /// The user of a unit of the system. Nil for a caller who is not root, and so reads only what the user may read;
    /// for a unit that is not loaded; and without systemd. `user` is what `User=` will be when systemd has read it.
    @MainActor package static func ofUnit(_ name: String, user: String? = nil) -> FileAccount? {
        guard geteuid() == 0, let unit = try? ServiceManagerUnit.properties(of: name),
            unit.text("LoadState") == "loaded"
        else { return nil }
        return FileAccount(of: unit, name: name, user: user)
    }

    /// The user that a unit runs as: `User=`, `Group=`, `SupplementaryGroups=` and `DynamicUser=` (systemd.exec(5)).
    /// Nil if there is no such user or group; a dynamic one need not be there yet.
    private init?(of unit: UnitProperties, name: String, user next: String?) {
        let user = next ?? unit.text("User")
        let isDynamic = next == nil && unit.isOn("DynamicUser")
        var groups: Set<UInt32> = []
        for group in unit.texts("SupplementaryGroups") + [unit.text("Group")] where !group.isEmpty {
            if let gid = UInt32(group) ?? getgrnam(group)?.pointee.gr_gid {
                groups.insert(gid)
            } else if !isDynamic {
                return nil
            }
        }
        let isRoot = user.isEmpty && !isDynamic
        let who = "user \(DisplayText.quoted(isRoot ? "root" : user)) of \(name)"
        if let entry = isRoot ? getpwuid(0) : getpwnam(user) ?? UInt32(user).flatMap({ getpwuid($0) }) {
            let (uid, gid) = (entry.pointee.pw_uid, entry.pointee.pw_gid)
            self.init(who, uid: uid, groups: groups.union(Self.memberships(entry.pointee.pw_name, gid)))
        } else if isDynamic {
            self.init("the dynamic user of \(name)", uid: nil, groups: groups)
        } else {
            return nil
        }
    }

    /// All groups of a user (getgrouplist(3)).
    private static func memberships(_ user: UnsafePointer<CChar>, _ primary: UInt32) -> [UInt32] {
        var count: Int32 = 1024
        var groups = [gid_t](repeating: 0, count: Int(count))
        return getgrouplist(user, primary, &groups, &count) < 0 ? [primary] : Array(groups.prefix(Int(count)))
    }
}
