// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import BelfryEventLoop
package import Lifecycle

/// Which suspensions nobody announced, from one reading to the next.
package nonisolated struct SuspensionLedger: Sendable, Equatable {
    private var last: SuspensionReading

    /// The kernel tells of a change of `cgroup.events` at once, and of one that comes within 10 ms of it as much later: what
    /// is told so soon after a thaw, and broke off no wait, is that thaw again.
    private static let echo = Duration.milliseconds(20)

    /// More than any time that a number of the kernel can mean.
    private static let most: UInt64 = 1 << 60

    /// Begins with what is seen now.
    package init(_ reading: SuspensionReading) { last = reading }

    /// The suspensions since the last reading.
    ///
    /// - Parameter interruption: when the loop last waited and was broken off, if it was: a process that is frozen runs
    ///   until then.
    package mutating func settle(_ now: SuspensionReading, interruption: WaitInterruption?) -> [Suspension] {
        defer { last = now }
        var found: [Suspension] = []
        if let frozen = now.frozen, let before = last.frozen {
            if frozen > before {
                found.append(
                    Suspension(.freezer, duration: .microseconds(min(frozen - before, Self.most)), isExact: true))
            }
        } else if now.hasThawed {
            let since = interruption.map { Int64($0.began.microseconds) } ?? last.clocks.monotonic
            let most = Duration.microseconds(now.clocks.monotonic - since)
            if interruption != nil || most >= Self.echo {
                found.append(Suspension(.freezer, duration: most, isExact: false))
            }
        }
        let slept = now.clocks.slept(since: last.clocks)
        if slept > .zero { found.append(Suspension(.sleep, duration: slept, isExact: true)) }
        return found
    }
}
