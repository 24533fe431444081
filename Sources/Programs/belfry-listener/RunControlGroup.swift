// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryLinux
import CBelfry
import Glibc

/// The control groups of the runs, below that of a unit with `Delegate=yes` (systemd, «Control Group APIs and
/// Delegation»).
///
/// A program may make groups of its own there, and move into any of them. So whatever has come below the unit belongs
/// to the run, and ends with it. What was there before does not: nothing may be beside this process, which systemd has
/// started as the unit's own, and other groups are left alone. So is `.control`, where systemd runs `ExecReload=` and
/// the like.
@MainActor
final class RunControlGroups {
    /// How often processes are looked for that move faster than they are found, and how many groups are removed at a
    /// time, and how deep.
    private static let limit = (searches: 100, groups: 4096, depth: 64)

    private let parent: String
    /// Called when processes may remain, with the reason.
    private let onProblem: (SystemError) -> Void
    /// The groups that are not ours to end.
    private let others: Set<String>
    private var count = 0
    /// The name of the group that has a run.
    private var current: String?

    /// Why a process has no control groups of its own.
    enum Unavailable: String, Error, CustomStringConvertible {
        case notOwn = "the control group is not that of this process alone"
        case notDelegated = "the control group is not delegated (Delegate=yes)"
        case readOnly = "ProtectControlGroups= makes control groups read-only"
        case noKill = "the kernel has no cgroup.kill, which came with Linux 5.14"

        var description: String { rawValue }
    }

    /// The groups of this process.
    convenience init(onProblem: @escaping (SystemError) -> Void) throws(Unavailable) {
        guard Environment.isOfServiceManager else { throw .notOwn }
        let groups = (try? KernelFile.text("/proc/self/cgroup")) ?? ""
        guard let own = groups.split(separator: "\n").first(where: { $0.hasPrefix("0::/") })?.dropFirst(3) else {
            throw .notDelegated
        }
        let parent = "/sys/fs/cgroup\(own)"
        guard belfry_is_delegated(parent) else { throw .notDelegated }
        guard access(parent, W_OK) == 0 else { throw errno == EROFS ? .readOnly : .notDelegated }
        guard access("\(parent)/cgroup.kill", F_OK) == 0 else { throw .noKill }
        guard (try? KernelFile.text("\(parent)/cgroup.procs")) == "\(getpid())\n",
            let names = try? DirectoryContent.names(in: parent)
        else { throw .notOwn }
        self.init(below: parent, beside: names, onProblem: onProblem)
    }

    init(below parent: String, beside: [String], onProblem: @escaping (SystemError) -> Void) {
        (self.parent, others, self.onProblem) = (parent, Set(beside + [".control"]), onProblem)
    }

    /// Makes a group for a run. One runs at a time.
    func make() throws(SystemError) -> RunControlGroup {
        endOthers()
        repeat { count += 1 } while others.contains("run-\(count)")
        let name = "run-\(count)"
        let path = "\(parent)/\(name)"
        guard mkdir(path, 0o755) == 0 || errno == EEXIST else { throw .last(verb: "make", object: path) }
        let processes = open("\(path)/cgroup.procs", O_WRONLY | O_CLOEXEC)
        guard processes >= 0 else {
            let error = SystemError.last(verb: "open", object: "\(path)/cgroup.procs")
            rmdir(path)
            throw error
        }
        current = name
        return RunControlGroup(path: path, processes: OwnedDescriptor(owning: processes))
    }

    /// Ends every process of the run, wherever it has moved below the unit.
    func kill(_ group: RunControlGroup) {
        collect(into: group)
        if let directory = directory(at: group.path) { endProcesses(in: directory) }
        endOthers()
    }

    /// The same when the run is over. The groups are removed at the latest before the next run.
    func end(_ group: RunControlGroup) {
        current = nil
        kill(group)
    }

    /// Moves the processes that are beside this one into the group of the run, from which nothing can escape while it
    /// is ended.
    private func collect(into group: RunControlGroup) {
        for _ in 0..<Self.limit.searches {
            let text: String
            do throws(SystemError) { text = try KernelFile.text("\(parent)/cgroup.procs") } catch {
                return onProblem(error)
            }
            let strays = text.split(separator: "\n").compactMap { Int32($0) }.filter { $0 > 0 && $0 != getpid() }
            if strays.isEmpty { return }
            // A program can make the group one of threads, which takes no process.
            for pid in strays where !group.add(pid) { Glibc.kill(pid, SIGKILL) }
        }
    }

    /// Ends the processes of all groups below this process, except that of the run and those that are not ours, and
    /// removes the groups that are empty.
    private func endOthers() {
        guard let directory = directory(at: parent) else { return }
        var left = Self.limit.groups
        endGroups(in: directory, depth: 0, &left)
    }

    private func endGroups(in directory: OwnedDescriptor, depth: Int, _ left: inout Int) {
        guard depth < Self.limit.depth else { return }
        // The stream owns a descriptor of its own.
        let copy = fcntl(directory.number, F_DUPFD_CLOEXEC, 0)
        guard let stream = fdopendir(copy) else {
            tell("read", "")
            close(copy)
            return
        }
        defer { closedir(stream) }
        while left > 0, let entry = readdir(stream) {
            guard entry.pointee.d_type == DT_DIR else { continue }
            // A name need not be valid UTF-8, so it stays as it is.
            withUnsafePointer(to: &entry.pointee.d_name) { field in
                field.withMemoryRebound(to: CChar.self, capacity: 256) { name in
                    let text = String(cString: name)
                    if text != ".", text != "..", depth > 0 || text != current && !others.contains(text) {
                        endGroup(name, in: directory, depth: depth, &left)
                    }
                }
            }
        }
    }

    private func endGroup(_ name: UnsafePointer<CChar>, in directory: OwnedDescriptor, depth: Int, _ left: inout Int) {
        left -= 1
        guard let group = self.directory(name, in: directory.number) else { return }
        // It ends what is below too.
        if depth == 0 { endProcesses(in: group) }
        endGroups(in: group, depth: depth + 1, &left)
        unlinkat(directory.number, name, AT_REMOVEDIR)
    }

    /// Ends every process in the group with this directory, and below (cgroups(7), `cgroup.kill`).
    private func endProcesses(in directory: OwnedDescriptor) {
        let file = openat(directory.number, "cgroup.kill", O_WRONLY | O_CLOEXEC)
        guard file >= 0 else { return tell("open", "cgroup.kill") }
        defer { close(file) }
        if write(file, "1", 1) < 0 { tell("write", "cgroup.kill") }
    }

    private func directory(at path: String) -> OwnedDescriptor? { path.withCString { directory($0, in: AT_FDCWD) } }

    /// A directory; nil, after that was told, for one that cannot be opened.
    private func directory(_ name: UnsafePointer<CChar>, in parent: Int32) -> OwnedDescriptor? {
        let number = openat(parent, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        if number >= 0 { return OwnedDescriptor(owning: number) }
        tell("open", String(cString: name))
        return nil
    }

    /// Tells what the last call has failed at. A group that is gone has no processes.
    private func tell(_ verb: String, _ name: String) {
        guard errno != ENOENT, errno != ENODEV else { return }
        onProblem(.last(verb: verb, object: name.hasPrefix("/") ? name : "\(parent)/…/\(name)"))
    }
}

/// The control group of one run.
@MainActor
struct RunControlGroup {
    let path: String
    /// Its file `cgroup.procs`.
    let processes: OwnedDescriptor

    /// Moves a process into it.
    ///
    /// - Returns: false if the process is still where it was. One that has ended, or belongs to others by now, is
    ///   nobody's concern.
    fileprivate func add(_ pid: Int32) -> Bool {
        let text = "\(pid)"
        return write(processes.number, text, text.utf8.count) > 0 || errno == ESRCH || errno == EACCES
    }
}
