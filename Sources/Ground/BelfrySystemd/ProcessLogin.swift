// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryLinux

/// The user who has logged in and then become root, such as by sudo(8).
package nonisolated enum ProcessLogin {
    /// The login user of a process of root, by `/proc/PID/loginuid` (proc_pid_loginuid(5)). Nil for any other user; for
    /// a process that no login has started, such as a service; and without such a file, because the process is gone or
    /// the kernel has no auditing.
    package static func uid(of pid: Int32, runBy uid: UInt32) -> UInt32? {
        guard uid == 0, pid > 0, let text = KernelFile.beginning(of: "/proc/\(pid)/loginuid", limit: 16) else {
            return nil
        }
        return self.uid(text)
    }

    /// The number in such a file; nil for none, which the kernel writes as 4294967295.
    static func uid(_ text: [UInt8]) -> UInt32? {
        UInt32(String(decoding: text, as: UTF8.self)).flatMap { $0 == .max ? nil : $0 }
    }
}
