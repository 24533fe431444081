// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryEventLoop
package import BelfryLinux
internal import Glibc
package import Lifecycle

/// What to watch for pressure on memory: what systemd names in the environment, else the control group's own file
/// (systemd's document «Resource Pressure Handling»).
package nonisolated enum PressurePlan {
    /// One trigger: a file to open, what to write to it, and what it means when it fires.
    package struct Trigger: Sendable, Equatable {
        /// The file, fifo or socket.
        package let path: String
        /// What is written to it first; nothing when empty.
        package let setting: [UInt8]
        /// What it reports.
        package let level: MemoryWarning.Level
    }

    /// The triggers, the most urgent first; none when the administrator has switched this off.
    ///
    /// - Parameters:
    ///   - environment: `MEMORY_PRESSURE_WATCH` and `MEMORY_PRESSURE_WRITE`.
    ///   - group: the directory of the process's own control group.
    /// - Throws: `EINVAL` for variables that make no sense.
    package static func triggers(environment: [String: String], group: String?) throws(SystemError) -> [Trigger] {
        guard let path = environment["MEMORY_PRESSURE_WATCH"], !path.isEmpty else {
            guard let group else { return [] }
            return both("\(group)/memory.pressure")
        }
        guard path != "/dev/null" else { return [] }
        guard path.hasPrefix("/") else { throw SystemError(EINVAL, verb: "watch pressure at", object: path) }
        let text = environment["MEMORY_PRESSURE_WRITE"] ?? ""
        guard let setting = Base64.decode(text) else {
            throw SystemError(EINVAL, verb: "decode MEMORY_PRESSURE_WRITE", object: text)
        }
        let level: MemoryWarning.Level = setting.starts(with: Array("full".utf8)) ? .full : .some
        return [Trigger(path: path, setting: setting, level: level)]
    }

    /// How long tasks must have waited within this window: systemd's default. An unprivileged process may only use
    /// windows that are multiples of 2 s (Documentation/accounting/psi.rst).
    package static let (stalls, window) = (Duration.milliseconds(200), Duration.seconds(2))

    /// The kernel requires the zero byte.
    private static func both(_ path: String) -> [Trigger] {
        [MemoryWarning.Level.full, .some].map { level in
            let setting = "\(level.rawValue) \(stalls.microseconds) \(window.microseconds)\0"
            return Trigger(path: path, setting: Array(setting.utf8), level: level)
        }
    }
}
