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

    /// The kind that logind's `PrepareForShutdownWithMetadata` names so (org.freedesktop.login1(5)).
    package init?(loginType: String) {
        guard let kind = Self.allCases.first(where: { $0.target == loginType + ".target" }) else { return nil }
        self = kind
    }
}
