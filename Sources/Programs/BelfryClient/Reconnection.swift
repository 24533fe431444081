// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryEventLoop
internal import BelfryLinux

/// When to connect to a service again: after a delay, or as soon as its socket appears.
final class Reconnection {
    /// What the user is told when a service has ended the connection.
    static let connectionClosed = "the service closed the connection, waiting for it to return"

    private let path: String
    private let loop: MainEventLoop
    private var delay = RetryDelay()
    private var timer: TimerEventSource?
    private var directory: InotifyEventSource?
    /// Whether the user knows that there is no connection.
    private var isLossReported = false

    init(_ path: String, on loop: MainEventLoop) {
        self.path = path
        self.loop = loop
    }

    /// Calls `connect` when another attempt may succeed. It calls `stop`, or waits again.
    ///
    /// - Parameters:
    ///   - note: why there is no connection.
    ///   - lasted: how long there was one before, if there was one.
    ///   - report: gets the note of the first of the attempts that fail.
    func wait(
        _ note: String, after lasted: Duration?, report: (String) -> Void, _ connect: @escaping () -> Void
    ) throws(SystemError) {
        let delay = delay.next(lasted)
        timer = try loop.timer(after: delay, accuracy: delay / 4, connect)
        // It may not exist.
        directory = directory ?? watchDirectory(connect)
        guard !isLossReported else { return }
        isLossReported = true
        report(note)
    }

    func stop() { (timer, directory) = (nil, nil) }

    /// The service has answered. Returns whether it was reported as lost before.
    @discardableResult
    func succeeded() -> Bool {
        defer { isLossReported = false }
        return isLossReported
    }

    private func watchDirectory(_ connect: @escaping () -> Void) -> InotifyEventSource? {
        guard let slash = path.lastIndex(of: "/"), !path.hasPrefix("@") else { return nil }
        let name = path[path.index(after: slash)...]
        let directory = slash == path.startIndex ? "/" : String(path[..<slash])
        return try? loop.source(path: directory, [.created, .movedTo]) { change in
            if change.name.map({ $0 == name }) ?? false { connect() }
        }
    }
}

/// How long to wait before the next attempt to connect: longer after each that failed.
package nonisolated struct RetryDelay: Sendable {
    private static let longest = Duration.seconds(2)
    private var delay = Duration.zero

    /// The next delay.
    ///
    /// - Parameter lasted: how long there was a connection, if there was one. One that did not last counts as an
    ///   attempt that failed.
    package mutating func next(_ lasted: Duration?) -> Duration {
        let isFirst = delay == .zero || (lasted ?? .zero) > Self.longest * 2
        delay = isFirst ? .milliseconds(50) : min(delay * 2, Self.longest)
        return delay
    }
}
