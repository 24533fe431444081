// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import CSystemd
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

    /// Sends messages in one datagram (sd_notify(3)).
    @discardableResult
    public func send(_ messages: [ServiceManagerMessage]) -> Outcome {
        let result = sd_notify(0, messages.map(\.text).joined(separator: "\n"))
        if result == 0 { return .absent }
        return result > 0 ? .sent : .failed(SystemError(result, verb: "notify", object: "service manager"))
    }
}
