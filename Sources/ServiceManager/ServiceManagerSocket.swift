// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import CSystemd
public import EventLoop
public import SystemErrors

/// The socket on which the service manager listens, `$NOTIFY_SOCKET`.
public final class ServiceManagerSocket {
    /// What became of a message.
    public nonisolated enum Outcome: Sendable, Equatable {
        /// There is no service manager to tell. Nothing is wrong.
        case absent
        /// It was sent. Whether the manager heeds it, it does not say.
        case sent
        /// It could not be sent.
        case failed(SystemError)
    }

    /// Makes a socket; nothing is opened before the first message.
    public init() {}

    /// Sends messages in one datagram (sd_notify(3)), with copies of descriptors if there are any
    /// (sd_pid_notify_with_fds(3); at most 253).
    @discardableResult
    public func send(_ messages: [ServiceManagerMessage], descriptors: [Int32] = []) -> Outcome {
        let text = messages.map(\.text).joined(separator: "\n")
        let result = sd_pid_notify_with_fds(0, 0, text, descriptors, UInt32(descriptors.count))
        if result == 0 { return .absent }
        return result > 0 ? .sent : .failed(SystemError(result, verb: "notify", object: "service manager"))
    }

    /// Calls `completion` once the manager has done with everything that was sent before, or when `limit` is over: with
    /// `sent`, with `absent`, or with what went wrong, `ETIMEDOUT` among it. Never before this returns, and without
    /// blocking, as sd_notify_barrier(3) would.
    public func barrier(on loop: MainEventLoop, limit: Duration, _ completion: @escaping (Outcome) -> Void) {
        ServiceManagerBarrier.send(by: self, on: loop, limit: limit, completion)
    }
}
