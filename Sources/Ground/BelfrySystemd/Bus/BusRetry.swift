// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import BelfryEventLoop

/// Decides how long to wait before the next attempt to connect. The first attempt after a lost connection is made at
/// once, and the delay grows with each failure. It does not give up: a bus that is full has room again some time.
package nonisolated struct BusRetry: Sendable, Equatable {
    private static let delays: [Duration] = [
        .zero, .milliseconds(100), .milliseconds(500), .seconds(2), .seconds(10), .seconds(30),
    ]
    /// A connection that lasted so long resets the delay.
    private static let lasting: Duration = .seconds(10)

    private var failures = 0
    private var ready: MonotonicInstant?

    /// The connection is there.
    package mutating func connected(at now: MonotonicInstant) { ready = now }

    /// The connection was lost, or could not be made.
    ///
    /// - Returns: how long to wait.
    package mutating func disconnected(at now: MonotonicInstant) -> Duration {
        if let ready, now - ready >= Self.lasting { failures = 0 }
        ready = nil
        defer { failures = min(failures + 1, Self.delays.count - 1) }
        return Self.delays[failures]
    }
}
