// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// What the service manager is to do with a unit.
package nonisolated struct UnitJob: Sendable, Equatable {
    /// `start`, `stop`, `restart`, `reload`, …
    package let type: String
    let number: UInt32
    /// Its object on the bus.
    let path: String
}

/// How a unit ends, as the service manager's job queue says.
package nonisolated struct UnitEnding: Sendable, Equatable {
    /// What a job does with the unit.
    package enum Job: String, Sendable, CaseIterable {
        /// It ends, and stays so.
        case stop
        /// It ends, and starts again.
        case restart
    }

    /// What is known of the unit that the service stands for, if it stands for one.
    package var application: ApplicationEnding?

    /// What the unit's job does; nil when there is none, or one that does not end the unit.
    package let job: Job?
    /// Whether the manager ends the unit because of a failure, which it does without a job, as at the end of
    /// `RuntimeMaxSec=`.
    package var isFailing = false
    /// The shutdown of the machine that is queued.
    package var shutdown: ShutdownKind?
    /// Whether the manager that was asked knows of shutdowns. That of a user does not.
    package var isShutdownKnown = true
}

nonisolated extension UnitEnding {
    /// From the manager's jobs by unit, and the result of the unit of this name. Its active state says nothing:
    /// STOPPING=1 alone makes that `deactivating`.
    package init(of unit: String, jobs: [String: UnitJob], result: String? = nil) {
        let isFailing = result != nil && result != "success"
        self.init(job: Job(of: unit, in: jobs), isFailing: isFailing, shutdown: ShutdownKind(queuedIn: jobs))
    }
}

nonisolated extension UnitEnding.Job {
    /// The job of a unit; nil when there is none, or one that does not end the unit.
    init?(of unit: String, in jobs: [String: UnitJob]) {
        guard let type = jobs[unit]?.type else { return nil }
        self.init(rawValue: type == "try-restart" ? "restart" : type)
    }
}

/// What systemd does with the unit of an application while the service that stands for it stops.
package nonisolated enum ApplicationEnding: Sendable, Equatable {
    /// The unit runs, and this job will end it.
    case job(UnitEnding.Job)
    /// The unit runs on.
    case none
    /// The unit has ended before, as in a crash, with this result (`Result` of org.freedesktop.systemd1(5)).
    case over(result: String)

    /// - Parameters:
    ///   - unit: the unit's own name.
    ///   - activeState: what it is doing.
    ///   - result: its result; empty if that is not known.
    package init(of unit: String, activeState: String, jobs: [String: UnitJob], result: String = "") {
        guard UnitProperties.isActive(activeState) else {
            self = .over(result: result)
            return
        }
        // A unit that starts again after a crash has a restart job too, and is not active then.
        self = UnitEnding.Job(of: unit, in: jobs).map { .job($0) } ?? .none
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
    package init?(queuedIn jobs: [String: UnitJob]) {
        guard let kind = Self.allCases.first(where: { jobs[$0.target]?.type == "start" }) else { return nil }
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
