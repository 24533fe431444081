// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// How a unit ends, as the service manager's job queue says.
package nonisolated struct UnitEnding: Sendable, Equatable {
    /// What a job does with the unit.
    package enum Job: String, Sendable, CaseIterable {
        /// It ends, and stays so.
        case stop
        /// It ends, and starts again.
        case restart
    }

    /// What the unit's job does; nil when there is none, or one that does not end the unit.
    package let job: Job?
    /// Whether the manager is stopping the unit, which it also does without a job, as at the end of `RuntimeMaxSec=`.
    package let isUnderWay: Bool
    /// The shutdown of the machine that is queued.
    package var shutdown: ShutdownKind?

    /// What is known.
    package init(job: Job?, isUnderWay: Bool = false, shutdown: ShutdownKind? = nil) {
        self.job = job
        self.isUnderWay = isUnderWay
        self.shutdown = shutdown
    }

    /// From the manager's jobs and the active state of the unit of this name.
    package init(of unit: String, jobs: [ManagerJob], activeState: String? = nil) {
        isUnderWay = activeState == "deactivating"
        let types = jobs.filter { $0.unit == unit }.map(\.type)
        job = types.lazy.compactMap { Job(rawValue: $0 == "try-restart" ? "restart" : $0) }.first
        shutdown = ShutdownKind(queuedIn: jobs)
    }
}

/// A job in the service manager's queue (org.freedesktop.systemd1(5), `ListJobs`).
package nonisolated struct ManagerJob: Sendable, Equatable {
    /// The unit that it is about.
    package let unit: String
    /// What it does: `start`, `stop`, `restart`, `reload`, …
    package let type: String

    /// A job.
    package init(unit: String, type: String) {
        self.unit = unit
        self.type = type
    }

    /// Reads the reply of `ListJobs`.
    @MainActor static func list(_ message: BusMessage) throws(BusError) -> [ManagerJob] {
        try message.array(of: "(usssoo)") { () throws(BusError) in
            try message.structure("usssoo") { () throws(BusError) in
                // The number, then the state and the paths of the job and the unit are not used.
                _ = try message.uint32()
                let job = Self(unit: try message.text(), type: try message.text())
                _ = (try message.text(), try message.text(), try message.text())
                return job
            }
        }
    }
}

/// How the machine or its user space shuts down (systemd.special(7)).
///
/// The raw value is the verb of systemctl(1), and what logind's `PrepareForShutdownWithMetadata` says
/// (org.freedesktop.login1(5)).
package nonisolated enum ShutdownKind: String, Sendable, CaseIterable {
    case reboot
    case powerOff = "poweroff"
    case halt
    case kexec
    case softReboot = "soft-reboot"

    /// Its target.
    package var target: String { "\(rawValue).target" }

    /// The kind that these jobs lead to; nil when the machine goes on.
    package init?(queuedIn jobs: [ManagerJob]) {
        let kind = Self.allCases.first { kind in jobs.contains { $0.unit == kind.target && $0.type == "start" } }
        guard let kind else { return nil }
        self = kind
    }

    /// The kind from the arguments of process 1 while it is systemd-shutdown(8); nil for another program. That
    /// program sends the stop signal itself to every process that still runs, as at `systemctl reboot --force`, when
    /// there is no manager to ask.
    package init?(shutdownProgram arguments: [String]) {
        guard arguments.count > 1, arguments[0].split(separator: "/").last == "systemd-shutdown" else { return nil }
        self.init(rawValue: arguments[1])
    }
}
