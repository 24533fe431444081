// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryLinux

/// The name of the command that a process runs.
package nonisolated enum ProcessCommand {
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
    package static func of(_ pid: Int32) -> String? {
        guard pid > 0, let name = KernelFile.beginning(of: "/proc/\(pid)/comm", limit: 64) else { return nil }
        return String(decoding: name.last == UInt8(ascii: "\n") ? name.dropLast() : name[...], as: UTF8.self)
    }
}
