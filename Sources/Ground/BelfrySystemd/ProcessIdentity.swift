// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryLinux

/// What the kernel tells of a process: its command, and who has logged in. For its unit see `ProcessUnit`.
package nonisolated enum ProcessIdentity {
    /// The arguments of a process, its program first (`/proc/PID/cmdline`); empty when it is gone or outside our view.
    /// They may hold secrets of its own: this is for processes that are known to have none.
    package static func arguments(of pid: Int32) -> [String] {
        guard let text = KernelFile.beginning(of: "/proc/\(pid)/cmdline", limit: 4096) else { return [] }
        return text.split(separator: 0, omittingEmptySubsequences: false).dropLast().map {
            String(decoding: $0, as: UTF8.self)
        }
    }

    /// The command's name as the kernel keeps it (`/proc/PID/comm`, proc(5)): at most 15 bytes, and no arguments, which
    /// may hold secrets. Nil when the process is gone or outside our view.
    package static func command(of pid: Int32) -> String? {
        guard pid > 0, let name = KernelFile.beginning(of: "/proc/\(pid)/comm", limit: 64) else { return nil }
        return String(decoding: name.last == UInt8(ascii: "\n") ? name.dropLast() : name[...], as: UTF8.self)
    }

    /// The user who has logged in and then become root, such as by sudo(8), by `/proc/PID/loginuid`
    /// (proc_pid_loginuid(5)). Nil for a process of any other user; for one that no login has started, such as a
    /// service; and without such a file, because the process is gone or the kernel has no auditing.
    package static func loginUID(of pid: Int32, runBy uid: UInt32) -> UInt32? {
        guard uid == 0, pid > 0, let text = KernelFile.beginning(of: "/proc/\(pid)/loginuid", limit: 16) else {
            return nil
        }
        return loginUID(text)
    }

    /// The number in such a file; nil for none, which the kernel writes as 4294967295.
    static func loginUID(_ text: [UInt8]) -> UInt32? {
        UInt32(String(decoding: text, as: UTF8.self)).flatMap { $0 == .max ? nil : $0 }
    }
}
