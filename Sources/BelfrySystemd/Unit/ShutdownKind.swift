// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// How the machine, or its user space, comes to its end (systemd.special(7)).
package nonisolated enum ShutdownKind: String, Sendable, CaseIterable {
    case reboot, powerOff, halt, kexec, softReboot

    /// The target that brings it about.
    package var target: String {
        switch self {
        case .reboot: "reboot.target"
        case .powerOff: "poweroff.target"
        case .halt: "halt.target"
        case .kexec: "kexec.target"
        case .softReboot: "soft-reboot.target"
        }
    }

    /// The kind of this word, the name of its target: the verb of systemctl(1), and what logind's
    /// `PrepareForShutdownWithMetadata` says (org.freedesktop.login1(5)).
    package init?(verb: String) {
        guard let kind = Self.allCases.first(where: { $0.target == verb + ".target" }) else { return nil }
        self = kind
    }

    /// The kind that these jobs bring about; nil when they leave the machine as it is.
    package init?(queuedIn jobs: [ManagerJob]) {
        let kind = Self.allCases.first { kind in jobs.contains { $0.unit == kind.target && $0.type == "start" } }
        guard let kind else { return nil }
        self = kind
    }

    /// The kind that the last program of process 1 brings about, systemd-shutdown(8), by its arguments; nil when they are
    /// not those of this program. It sends the stop signal itself to whatever still runs, as to every service at
    /// `systemctl reboot --force`, when no manager is left to be asked.
    package init?(shutdownProgram arguments: [String]) {
        guard arguments.count > 1, arguments[0].split(separator: "/").last == "systemd-shutdown" else { return nil }
        self.init(verb: arguments[1])
    }
}
