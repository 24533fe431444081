// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import Glibc

/// The main process of a systemd unit, and whether another one has taken its place.
///
/// systemd listens on behalf of a stopped service that has a socket unit: connecting to it would start what an
/// administrator has just stopped. So whoever waits for a service to come back looks at its control group first. What
/// `ExecStopPost=` runs there is of the same run, and nobody's replacement.
nonisolated struct ServiceProcess: Equatable {
    private let pid: Int32
    private let processList: String
    /// Where systemd says which run the unit is in (a symbolic link of that text), and which it was in.
    private let runLink: String
    private let run: String?

    /// The process, or nil when it is out of sight or does not belong to a service unit of systemd. One that has ended
    /// already belongs to where `predecessor` was.
    init?(
        pid: Int32, after predecessor: ServiceProcess? = nil, proc: String = "/proc",
        controlGroups: String = "/sys/fs/cgroup", units: String = "/run/systemd/units"
    ) {
        guard pid > 0 else { return nil }
        guard let groups = Self.read("\(proc)/\(pid)/cgroup") else {
            guard let predecessor else { return nil }
            processList = predecessor.processList
            runLink = predecessor.runLink
            run = nil
            self.pid = pid
            return
        }
        let group = groups.split(separator: "\n").first { $0.hasPrefix("0::/") }?.dropFirst(3)
        guard let group, group.hasSuffix(".service") else { return nil }
        processList = "\(controlGroups)\(group)/cgroup.procs"
        runLink = "\(units)/invocation:\(group.split(separator: "/").last ?? "")"
        run = Self.target(of: runLink)
        self.pid = pid
        guard Self.read(processList) != nil else { return nil }
    }

    /// What has become of the process.
    enum Fate {
        /// It is still there.
        case running
        /// The unit does not run.
        case gone
        /// The unit runs with another process.
        case replaced
    }

    /// What has become of the process by now.
    var fate: Fate {
        let processes = (Self.read(processList) ?? "").split(separator: "\n")
        if processes.contains(where: { $0 == "\(pid)" }) { return .running }
        if processes.isEmpty { return .gone }
        return run != nil && run == Self.target(of: runLink) ? .gone : .replaced
    }

    private static func target(of link: String) -> String? {
        var buffer = [CChar](repeating: 0, count: 256)
        let count = readlink(link, &buffer, buffer.count)
        return count > 0 ? String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self) : nil
    }

    private static func read(_ path: String) -> String? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var text: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count < 0 { return nil }
            if count == 0 { return String(decoding: text, as: UTF8.self) }
            text += buffer[..<count]
        }
    }
}

/// Whether there is somebody behind a socket on which systemd itself may listen: connecting to it would start a service
/// that was stopped, which a mere look must not do.
package nonisolated enum SystemUnit {
    /// False for the socket of belfryd's unit while that does not run.
    package static func mayRun(_ socket: String, controlGroups: String = "/sys/fs/cgroup") -> Bool {
        guard socket == "/run/belfry/io.belfry.Lifecycle" else { return true }
        return access("\(controlGroups)/system.slice/belfryd.service", F_OK) == 0
    }
}
