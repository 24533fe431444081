// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import BelfryLinux
internal import CBelfry
internal import Glibc

/// Accepts the connections on a listening socket, until it is cancelled or released.
///
/// If the system runs out of descriptors or memory, it tries again after a quarter of a second, instead of at once and
/// for ever.
@MainActor  // see MainEventLoop
package final class AcceptSource {
    /// How many connections are accepted before others get their turn.
    private static let batch = 512
    /// How long no connection is accepted after the system ran out of descriptors or memory.
    private static let pause = Duration.milliseconds(250)

    private let descriptor: Int32
    private let onConnection: (Int32) -> Void
    private let onError: (SystemError) -> Void
    private var source: DescriptorEventSource?
    private var timer: TimerEventSource?
    private var isResting = false { didSet { update() } }

    /// Whether connections are accepted; otherwise they wait in the kernel.
    package var isEnabled = true { didSet { update() } }

    /// - Parameters:
    ///   - descriptor: a listening socket that does not block. The caller still owns it, and closes it after this
    ///     object.
    ///   - onConnection: gets each connection, which does not block and is closed on exec, and owns it. It may disable
    ///     or cancel the source.
    ///   - onError: called when a connection could not be accepted, before the next attempt.
    /// - Throws: when the socket cannot be watched.
    package init(
        _ descriptor: Int32, on loop: MainEventLoop, onConnection: @escaping (Int32) -> Void,
        onError: @escaping (SystemError) -> Void
    ) throws(SystemError) {
        self.descriptor = descriptor
        self.onConnection = onConnection
        self.onError = onError
        timer = try loop.timer(after: .zero) { [unowned self] in isResting = false }
        timer?.isEnabled = false
        source = try loop.source(descriptor: descriptor, .readable) { [unowned self] _ in accept(Self.batch) }
    }

    /// Accepts no connection any more.
    package func cancel() {
        isEnabled = false
        source = nil
        timer = nil
    }

    /// Accepts what waits in the kernel, up to the length of its queue.
    package func acceptWaiting() { accept(Int(SOMAXCONN)) }

    private func accept(_ count: Int) {
        // A handler may drop the last reference.
        defer { extendLifetime(self) }
        for _ in 0..<count where isEnabled {
            let connection = belfry_accept(descriptor)
            switch connection {
            case 0...: onConnection(connection)
            case -EAGAIN: return
            // The client went away before it was accepted, or its network has failed (accept(2)).
            case -ECONNABORTED, -EINTR, -EPROTO, -ENETDOWN, -ENOPROTOOPT, -EHOSTDOWN, -ENONET, -EHOSTUNREACH,
                -EOPNOTSUPP,
                -ENETUNREACH:
                continue
            default:
                // Without a timer the source stays enabled: a busy loop is better than no connections.
                if (try? timer?.fire(after: Self.pause)) != nil { isResting = true }
                return onError(SystemError(connection, verb: "accept on", object: "socket"))
            }
        }
    }

    private func update() { source?.isEnabled = isEnabled && !isResting }
}
