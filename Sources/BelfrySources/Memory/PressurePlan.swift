// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import Glibc
package import Lifecycle
package import BelfryLinux

/// What to watch to learn that memory is short: what systemd says in the environment, or else the control group's own
/// file (systemd's document «Memory Pressure Handling»).
package nonisolated struct PressurePlan: Sendable, Equatable {
    /// One trigger: a file to open, what to write to it, and what it means when it fires.
    package struct Trigger: Sendable, Equatable {
        /// The file, fifo or socket.
        package let path: String
        /// What is written to it first; nothing when empty.
        package let setting: [UInt8]
        /// How short memory then is.
        package let level: MemoryWarning.Level
    }

    /// The triggers, the most urgent first; none when the administrator has switched this off.
    package let triggers: [Trigger]

    /// A plan.
    ///
    /// - Parameters:
    ///   - environment: `MEMORY_PRESSURE_WATCH` and `MEMORY_PRESSURE_WRITE`.
    ///   - group: the directory of the process's own control group.
    /// - Throws: `EINVAL` for variables that make no sense.
    package init(environment: [String: String], group: String?) throws(SystemError) {
        guard let path = environment["MEMORY_PRESSURE_WATCH"], !path.isEmpty else {
            triggers =
                group.map { group in
                    [MemoryWarning.Level.full, .some].map { Self.own(group + "/memory.pressure", $0) }
                } ?? []
            return
        }
        guard path != "/dev/null" else {
            triggers = []
            return
        }
        guard path.hasPrefix("/") else { throw SystemError(EINVAL, verb: "watch memory pressure at", object: path) }
        let text = environment["MEMORY_PRESSURE_WRITE"] ?? ""
        guard let setting = Base64.decode(text) else {
            throw SystemError(EINVAL, verb: "decode MEMORY_PRESSURE_WRITE", object: text)
        }
        let level: MemoryWarning.Level = setting.starts(with: Array("full".utf8)) ? .full : .some
        triggers = [Trigger(path: path, setting: setting, level: level)]
    }

    /// systemd's default, 200 ms of stalls in 2 s. The kernel lets whoever is not privileged use windows of whole 2 s
    /// alone (Documentation/accounting/psi.rst), and wants the zero byte at the end.
    private static func own(_ path: String, _ level: MemoryWarning.Level) -> Trigger {
        Trigger(path: path, setting: Array("\(level.rawValue) 200000 2000000\0".utf8), level: level)
    }
}
