// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import Glibc

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

    init(pid: Int32, code: Int32, status: Int32) {
        self.pid = pid
        reason = code == CLD_EXITED ? .exited(status) : .signaled(status)
    }
}
