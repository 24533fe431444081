// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryLinux
internal import Glibc

/// The main process of a systemd unit, and whether another process has replaced it.
///
/// systemd listens on behalf of a stopped service that has a socket unit: connecting would start a service that an
/// administrator has just stopped. A client that waits for a service to return therefore looks at the unit's control group
/// first. A process of `ExecStopPost=` there belongs to the same run and is no replacement.
nonisolated struct ServiceProcess: Equatable {
    private let pid: Int32
    private let processList: String
    /// The symbolic link whose target is the unit's current invocation id, and that id when the process was found.
    private let invocationLink: String
    private let invocation: String?

    /// The process, or nil when it is not visible or does not belong to a service unit of systemd. A process that has already
    /// ended is taken to belong to the unit of `predecessor`.
    init?(
        pid: Int32, after predecessor: ServiceProcess? = nil, proc: String = "/proc",
        controlGroups: String = "/sys/fs/cgroup", units: String = "/run/systemd/units"
    ) {
        guard pid > 0 else { return nil }
        guard let groups = Self.read("\(proc)/\(pid)/cgroup") else {
            guard let predecessor else { return nil }
            processList = predecessor.processList
            invocationLink = predecessor.invocationLink
            invocation = nil
            self.pid = pid
            return
        }
        let group = groups.split(separator: "\n").first { $0.hasPrefix("0::/") }?.dropFirst(3)
        guard let group, group.hasSuffix(".service") else { return nil }
        processList = "\(controlGroups)\(group)/cgroup.procs"
        invocationLink = "\(units)/invocation:\(group.split(separator: "/").last ?? "")"
        invocation = Self.target(of: invocationLink)
        self.pid = pid
        guard Self.read(processList) != nil else { return nil }
    }

    enum Status {
        /// The process still runs.
        case running
        /// The unit does not run.
        case stopped
        /// The unit runs with another process.
        case replaced
    }

    var status: Status {
        let processes = (Self.read(processList) ?? "").split(separator: "\n")
        if processes.contains(where: { $0 == "\(pid)" }) { return .running }
        if processes.isEmpty { return .stopped }
        return invocation != nil && invocation == Self.target(of: invocationLink) ? .stopped : .replaced
    }

    private static func target(of link: String) -> String? {
        var buffer = [CChar](repeating: 0, count: 256)
        let count = readlink(link, &buffer, buffer.count)
        return count > 0 ? String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self) : nil
    }

    private static func read(_ path: String) -> String? { try? KernelFile.text(path) }
}
