// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import Glibc

/// Whether there is somebody behind a socket on which systemd itself may listen: connecting to it would start a service
/// that was stopped, which a mere look must not do.
package nonisolated enum SystemUnit {
    /// False for the socket of belfryd's unit while that does not run.
    package static func mayRun(_ socket: String, controlGroups: String = "/sys/fs/cgroup") -> Bool {
        guard socket == "/run/belfry/io.belfry.Lifecycle" else { return true }
        return access("\(controlGroups)/system.slice/belfryd.service", F_OK) == 0
    }
}
