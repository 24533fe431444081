// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import Glibc

/// The name of the command that a process runs.
public nonisolated enum ProcessCommand {
    /// The command's name as the kernel keeps it (`/proc/PID/comm`, proc(5)): at most 15 bytes, and no arguments, which
    /// may hold secrets. Nil when the process is gone or outside our view.
    public static func of(_ pid: Int32) -> String? {
        guard pid > 0 else { return nil }
        let descriptor = open("/proc/\(pid)/comm", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 64) { buffer in
            let count = read(descriptor, buffer.baseAddress, buffer.count)
            guard count > 0 else { return nil }
            return String(
                decoding: buffer[..<(buffer[count - 1] == UInt8(ascii: "\n") ? count - 1 : count)], as: UTF8.self)
        }
    }
}
