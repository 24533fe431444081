// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryListeners
internal import BelfrySystemd
internal import CBelfry
internal import Glibc
internal import Lifecycle

/// Handles systemd's control signal SIGRTMIN+18 by its integer (systemd, `src/shared/common-signal.h`): 0x100 to 0x107
/// sets the log level, 0x200, 0x201 and 0x203 the log target, 0x300 posts a memory warning, 0x301 logs the state of the
/// heap.
struct ControlSignal {
    /// systemd's console is standard error here.
    private static let targets: [Int32: LogTarget] = [0x200: .stderr, 0x201: .journal, 0x203: .null]
    let mediator: LifecycleMediator
    let log: ServiceLog

    func obey(_ signal: SignalOrigin) {
        if let level = LogPriority(rawValue: signal.value &- 0x100) {
            log.set(level: level, by: .signal(signal))
        } else if let target = Self.targets[signal.value] {
            log.set(target: target, by: .signal(signal))
        } else if signal.value == 0x300 {
            mediator.warnOfMemory(.some, origin: .signal(signal))
        } else if signal.value == 0x301 {
            log.write(.info, RecordText(lines: Self.heap), .control, by: .signal(signal))
        } else {
            let value = "0x" + String(signal.value, radix: 16)
            let from = LifecycleOrigin.signal(signal)
            log.write(.notice, "unknown control value \(value), \(from), ignoring", .control, by: from)
        }
    }

    /// One line for people about the heap, and below it malloc_info(3) for programs, which goes through the arenas one
    /// by one.
    private static var heap: String {
        let usage = belfry_malloc_usage()
        let summary =
            "heap: \(usage.used) bytes in use, \(usage.unused) free, \(usage.arena) from brk, \(usage.mapped) from mmap"
        guard let details = belfry_malloc_info() else { return summary }
        defer { free(details) }
        return summary + "\n" + String(cString: details)
    }
}
