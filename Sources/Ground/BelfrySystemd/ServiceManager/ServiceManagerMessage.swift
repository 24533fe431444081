// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryEventLoop
internal import BelfryJSON

/// What a service tells the service manager (sd_notify(3)).
package nonisolated enum ServiceManagerMessage: Sendable, Equatable {
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
    /// `WATCHDOG=1`: all is well, until the watchdog asks again.
    case watchdogAlive
    /// `WATCHDOG=trigger`: something is lost for good; the manager does what it does when the watchdog bites, at once.
    case watchdogTrigger
    /// `WATCHDOG_USEC=`: the watchdog's time from now on; 0 turns it off.
    case watchdogTimeout(usec: UInt64)
    /// `ERRNO=`: why the service fails (errno(3)).
    case errorNumber(Int32)
    /// `EXIT_STATUS=`: what the process is about to exit with. For information; systemd knows it since 254.
    case exitStatus(Int32)
    /// `FDSTORE=1` with `FDNAME=`: keep the descriptors that go with it until they hang up, under this name. They
    /// outlive the process, and the next one finds them in `ListenDescriptors`. The manager refuses silently when it
    /// has no room or the unit has no store (systemd.service(5), `FileDescriptorStoreMax=`).
    case storeDescriptors(name: String)
    /// `FDSTOREREMOVE=1` with `FDNAME=`: close what is kept under this name.
    case removeDescriptors(name: String)
    /// `BARRIER=1`: close the descriptor that goes with it once everything before it is done. It goes alone.
    case barrier

    /// The assignments as they are sent, a line each.
    var text: String {
        switch self {
        case .ready: "READY=1"
        case .reloading(let usec): "RELOADING=1\nMONOTONIC_USEC=\(usec)"
        case .stopping: "STOPPING=1"
        case .status(let line): "STATUS=" + Self.line(line, limit: Self.longestStatus)
        case .extendTimeout(let duration): "EXTEND_TIMEOUT_USEC=\(duration.microseconds)"
        case .watchdogAlive: "WATCHDOG=1"
        case .watchdogTrigger: "WATCHDOG=trigger"
        case .watchdogTimeout(let usec): "WATCHDOG_USEC=\(usec)"
        case .errorNumber(let code): "ERRNO=\(code)"
        case .exitStatus(let status): "EXIT_STATUS=\(status)"
        case .storeDescriptors(let name): "FDSTORE=1\nFDNAME=\(Self.line(name, limit: Self.longestName))"
        case .removeDescriptors(let name): "FDSTOREREMOVE=1\nFDNAME=\(Self.line(name, limit: Self.longestName))"
        case .barrier: "BARRIER=1"
        }
    }

    /// What a later message of the same kind makes pointless.
    enum Key: Hashable {
        case status, extendTimeout, watchdog
    }

    /// The key under which a later message replaces this one while both wait; nil for a message that must be sent.
    var replaceable: Key? {
        switch self {
        case .status: .status
        case .extendTimeout: .extendTimeout
        case .watchdogAlive: .watchdog
        default: nil
        }
    }

    /// Whether it is about stored descriptors, of which there may be many.
    var isAboutTheStore: Bool {
        switch self {
        case .storeDescriptors, .removeDescriptors: true
        default: false
        }
    }

    /// The manager reads 4096 bytes of a datagram, and drops longer ones.
    private static let longestStatus = 2048
    private static let longestName = 255

    /// A value is one line: control characters become spaces, and the rest beyond the limit is cut.
    private static func line(_ text: String, limit: Int) -> String {
        var bytes = Array(text.prefix(bytes: limit).utf8)
        for index in bytes.indices where bytes[index] < 0x20 || bytes[index] == 0x7F { bytes[index] = 0x20 }
        return String(decoding: bytes, as: UTF8.self)
    }
}
