// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// What a service tells the service manager (sd_notify(3)).
public nonisolated enum ServiceManagerMessage: Sendable, Equatable {
    /// `READY=1`: start-up, or a reload, has finished.
    case ready
    /// `RELOADING=1` with `MONOTONIC_USEC=`, in one datagram as systemd 253 asks for.
    case reloading(monotonicUsec: UInt64)
    /// `STOPPING=1`: the service is on its way down.
    case stopping
    /// `STATUS=`: one line for `systemctl status`.
    case status(String)
    /// `EXTEND_TIMEOUT_USEC=`: at least this much more time is needed.
    case extendTimeout(Duration)
    /// `WATCHDOG_USEC=`: the watchdog's time from now on; 0 turns it off.
    case watchdogTimeout(usec: UInt64)

    /// The assignments as they are sent, a line each.
    var text: String {
        switch self {
        case .ready: "READY=1"
        case .reloading(let usec): "RELOADING=1\nMONOTONIC_USEC=\(usec)"
        case .stopping: "STOPPING=1"
        case .status(let line): "STATUS=" + String(line.map { $0.isNewline ? " " : $0 })
        case .extendTimeout(let duration): "EXTEND_TIMEOUT_USEC=\(Int64(duration / .microseconds(1)))"
        case .watchdogTimeout(let usec): "WATCHDOG_USEC=\(usec)"
        }
    }
}
