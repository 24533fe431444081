// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import CBelfry
internal import Glibc
internal import BelfryLinux

/// Waits for a child process to end and reaps it. Needs SIGCHLD blocked in every thread.
///
/// Source: sd_event_add_child(3).
public final class ChildEventSource: LoopSource {
    private let handler: (ChildExit) -> Void

    init(_ pid: Int32, on event: OpaquePointer, _ handler: @escaping (ChildExit) -> Void) throws(SystemError) {
        self.handler = handler
        super.init()
        let userdata = userdata
        try attach("wait for process", "\(pid)") {
            sd_event_add_child(event, &$0, pid, WEXITED, Self.callback, userdata)
        }
    }

    override var firingMode: Int32 { Int32(SD_EVENT_ONESHOT) }

    private nonisolated static let callback: sd_event_child_handler_t = { _, info, userdata in
        guard let info else { return 0 }
        let exit = ChildExit(
            pid: belfry_siginfo_pid(info), code: info.pointee.si_code, status: belfry_siginfo_status(info))
        return fire(ChildEventSource.self, userdata) { $0.handler(exit) }
    }
}
