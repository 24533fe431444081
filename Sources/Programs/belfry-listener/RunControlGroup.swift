// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryLinux
import CBelfry
import Glibc

/// The control groups of the runs, below that of a unit with `Delegate=yes` (systemd, «Control Group APIs and Delegation»).
@MainActor
final class RunControlGroups {
    private let parent: String
    private var count = 0
    /// Groups whose last processes had not ended when their run ended.
    private var left: [String] = []

    /// The groups of this process; nil if its control group is not delegated to it.
    convenience init?() {
        let groups = (try? KernelFile.text("/proc/self/cgroup")) ?? ""
        guard let own = groups.split(separator: "\n").first(where: { $0.hasPrefix("0::/") })?.dropFirst(3) else {
            return nil
        }
        let parent = "/sys/fs/cgroup\(own)"
        guard belfry_is_delegated(parent), access(parent, W_OK) == 0 else { return nil }
        self.init(below: parent)
    }

    init(below parent: String) { self.parent = parent }

    /// Makes a group for one run.
    func make() throws(SystemError) -> RunControlGroup {
        removeEmpty()
        count += 1
        let path = "\(parent)/run-\(count)"
        guard mkdir(path, 0o755) == 0 || errno == EEXIST else { throw .last(verb: "make", object: path) }
        let processes = open("\(path)/cgroup.procs", O_WRONLY | O_CLOEXEC)
        guard processes >= 0 else {
            let error = SystemError.last(verb: "open", object: "\(path)/cgroup.procs")
            rmdir(path)
            throw error
        }
        return RunControlGroup(path: path, processes: OwnedDescriptor(owning: processes))
    }

    /// Ends every process of the group, and removes it, at the latest before the next run.
    func end(_ group: RunControlGroup) {
        group.kill()
        left.append(group.path)
        removeEmpty()
    }

    private func removeEmpty() { left.removeAll { rmdir($0) == 0 || errno == ENOENT } }
}

/// The control group of one run.
@MainActor
struct RunControlGroup {
    let path: String
    /// Its file `cgroup.procs`.
    let processes: OwnedDescriptor

    /// Ends every process in it (cgroups(7), `cgroup.kill`, since Linux 5.14).
    ///
    /// - Returns: whether the kernel could do it.
    @discardableResult
    func kill() -> Bool {
        let file = open("\(path)/cgroup.kill", O_WRONLY | O_CLOEXEC)
        guard file >= 0 else { return false }
        defer { close(file) }
        return write(file, "1", 1) == 1
    }
}
