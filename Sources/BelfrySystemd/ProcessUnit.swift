// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import CBelfry
internal import Glibc

/// Which systemd unit a process belongs to.
public nonisolated enum ProcessUnit {
    /// The unit of `pid` by its control group (sd_pid_get_unit(3)), its user unit if it has one; nil when the process
    /// is gone, in no unit, or outside our view.
    public static func of(_ pid: Int32) -> String? {
        guard pid > 0 else { return nil }
        return ofUser(pid) ?? ofSystem(pid)
    }

    /// The unit of `pid` that its user's manager runs.
    static func ofUser(_ pid: Int32) -> String? { name(sd_pid_get_user_unit, pid) }

    /// The unit of `pid` that the system's manager runs.
    static func ofSystem(_ pid: Int32) -> String? { name(sd_pid_get_unit, pid) }

    private static func name(
        _ ask: (pid_t, UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?) -> Int32, _ pid: Int32
    ) -> String? {
        var text: UnsafeMutablePointer<CChar>?
        guard ask(pid, &text) >= 0, let text else { return nil }
        defer { free(text) }
        return String(cString: text)
    }
}
