// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import Glibc

/// The name of the command that a process runs.
package nonisolated enum ProcessCommand {
    /// The arguments of a process, its program first (`/proc/PID/cmdline`); empty when it is gone or outside our view.
    /// They may hold secrets of its own: this is for processes that are known to have none.
    package static func arguments(of pid: Int32) -> [String] {
        guard let text = ProcessFile.read("cmdline", of: pid, limit: 4096) else { return [] }
        return text.split(separator: 0, omittingEmptySubsequences: false).dropLast().map {
            String(decoding: $0, as: UTF8.self)
        }
    }

    /// The command's name as the kernel keeps it (`/proc/PID/comm`, proc(5)): at most 15 bytes, and no arguments, which
    /// may hold secrets. Nil when the process is gone or outside our view.
    package static func of(_ pid: Int32) -> String? {
        guard let name = ProcessFile.read("comm", of: pid, limit: 64) else { return nil }
        return String(decoding: name.last == UInt8(ascii: "\n") ? name.dropLast() : name[...], as: UTF8.self)
    }
}

/// The files of a process below `/proc` (proc(5)).
nonisolated enum ProcessFile {
    /// The first `limit` bytes of a file; nil when there is nothing to read.
    static func read(_ name: String, of pid: Int32, limit: Int) -> [UInt8]? {
        guard pid > 0 else { return nil }
        let descriptor = open("/proc/\(pid)/\(name)", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        let bytes = [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
            count = max(0, Glibc.read(descriptor, buffer.baseAddress, buffer.count))
        }
        return bytes.isEmpty ? nil : bytes
    }
}
