// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import Glibc

/// The name of the command that a process runs.
public nonisolated enum ProcessCommand {
    /// The arguments of a process, its program first (`/proc/PID/cmdline`); empty when it is gone or outside our view.
    /// They may hold secrets of its own: this is for processes that are known to have none.
    package static func arguments(of pid: Int32) -> [String] {
        guard let text = read("cmdline", of: pid, limit: 4096), !text.isEmpty else { return [] }
        return text.split(separator: "\0", omittingEmptySubsequences: false).dropLast().map(String.init)
    }

    /// The command's name as the kernel keeps it (`/proc/PID/comm`, proc(5)): at most 15 bytes, and no arguments, which
    /// may hold secrets. Nil when the process is gone or outside our view.
    public static func of(_ pid: Int32) -> String? {
        guard let name = read("comm", of: pid, limit: 64) else { return nil }
        return name.last == "\n" ? String(name.dropLast()) : name
    }

    /// The beginning of a file of a process; nil when there is nothing to read.
    private static func read(_ name: String, of pid: Int32, limit: Int) -> String? {
        guard pid > 0 else { return nil }
        let descriptor = open("/proc/\(pid)/\(name)", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: limit) { buffer in
            let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
            return count > 0 ? String(decoding: buffer[..<count], as: UTF8.self) : nil
        }
    }
}
