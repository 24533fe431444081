// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import BelfryLinux
internal import Glibc

/// The directory of a control group, cgroups(7) version 2.
package nonisolated enum ControlGroup {
    /// The directory of this process's own group.
    ///
    /// - Throws: `ENOENT` where there is none of version 2.
    package static func own() throws(SystemError) -> String {
        let groups = try KernelFile.text("/proc/self/cgroup")
        // Where systemd mounts version 2, and only that has this file. It saves a start the table of mounts.
        if let own = path(in: groups) {
            let usual = own == "/" ? "/sys/fs/cgroup" : "/sys/fs/cgroup\(own)"
            if access(usual + "/cgroup.controllers", F_OK) == 0 { return usual }
        }
        let table = MountTable(try KernelFile.text("/proc/self/mountinfo"))
        guard let path = directory(groups: groups, mounts: table) else {
            throw SystemError(ENOENT, verb: "find", object: "control group of version 2")
        }
        return path
    }

    /// Where the group of a process is, by its `/proc/PID/cgroup`; nil where version 2 is not mounted, or shows other
    /// groups.
    package static func directory(groups: String, mounts: MountTable) -> String? {
        guard let path = path(in: groups) else { return nil }
        // A single file of a group may be mounted as well, as systemd does it with memory.pressure.
        for mount in mounts.mounts.reversed() where mount.type == "cgroup2" {
            let root = mount.root == "/" ? "" : mount.root
            guard path == root || path.hasPrefix(root + "/") else { continue }
            let rest = path.dropFirst(root.count)
            return mount.point + (rest == "/" ? "" : rest)
        }
        return nil
    }

    /// The path of the group in version 2.
    private static func path(in groups: String) -> Substring? {
        let lines = groups.utf8.split(separator: UInt8(ascii: "\n"))
        return lines.first { $0.starts(with: "0::/".utf8) }.map { Substring($0.dropFirst(3)) }
    }
}
