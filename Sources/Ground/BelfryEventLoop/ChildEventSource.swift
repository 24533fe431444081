// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryLinux
internal import CBelfry
internal import Glibc

/// Waits for a child process to end and reaps it. Needs SIGCHLD blocked in every thread.
///
/// Source: sd_event_add_child(3).
package final class ChildEventSource: LoopSource {
    private let handler: (ChildExit) -> Void

    init(_ pid: Int32, on event: OpaquePointer, _ handler: @escaping (ChildExit) -> Void) throws(SystemError) {
        self.handler = handler
        super.init()
        let userdata = userdata
        try attach("wait for process", "\(pid)") {
            sd_event_add_child(event, &$0, pid, WEXITED, Self.callback, userdata)
        }
    }

    /// The pidfd of the child, which the source owns; nil on a kernel without them.
    var processDescriptor: Int32? {
        let descriptor = call { sd_event_source_get_child_pidfd($0) }
        return descriptor >= 0 ? descriptor : nil
    }

    /// Sends a signal to the child, which is not reaped before its end is handled.
    func send(_ signal: Int32) { call { sd_event_source_send_child_signal($0, signal, nil, 0) } }

    override var firingMode: Int32 { Int32(SD_EVENT_ONESHOT) }

    private nonisolated static let callback: sd_event_child_handler_t = { _, info, userdata in
        guard let info else { return 0 }
        let status = belfry_siginfo_status(info)
        let reason: ChildExit.Reason = info.pointee.si_code == CLD_EXITED ? .exited(status) : .signaled(status)
        let exit = ChildExit(pid: belfry_siginfo_pid(info), reason: reason)
        return fire(ChildEventSource.self, userdata, exit) { $0.handler($1) }
    }
}

/// How a child process ended (waitid(2)).
public nonisolated struct ChildExit: Sendable, Equatable {
    /// Why it ended.
    public enum Reason: Sendable, Equatable {
        /// It called exit(3) with this status.
        case exited(Int32)
        /// This signal ended it.
        case signaled(Int32)
    }

    /// The process that ended.
    public let pid: Int32
    /// Why it ended.
    public let reason: Reason
}
