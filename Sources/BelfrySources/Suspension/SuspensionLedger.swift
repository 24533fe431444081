// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import Lifecycle

/// Finds the unannounced suspensions between one reading and the next.
package nonisolated struct SuspensionLedger: Sendable, Equatable {
    private var last: SuspensionReading

    /// The kernel reports a change of `cgroup.events` at once, and another one within 10 ms up to 10 ms later: a second
    /// report so soon after a thaw is about the same thaw.
    private static let echo = Duration.milliseconds(20)

    /// More than any time that a number of the kernel can mean.
    private static let most: UInt64 = 1 << 60

    /// Begins with what is seen now.
    package init(_ reading: SuspensionReading) { last = reading }

    /// The suspensions since the last reading.
    package mutating func update(_ now: SuspensionReading) -> [Suspension] {
        defer { last = now }
        var found: [Suspension] = []
        if let frozen = now.frozen, let before = last.frozen {
            if frozen > before {
                found.append(Suspension(.freezer, duration: .microseconds(min(frozen - before, Self.most))))
            }
        } else if now.hasThawed {
            let most = Duration.microseconds(now.clocks.monotonic - last.clocks.monotonic)
            if most >= Self.echo { found.append(Suspension(.freezer, duration: most, isExact: false)) }
        }
        let slept = now.clocks.slept(since: last.clocks)
        if slept > .zero { found.append(Suspension(.sleep, duration: slept)) }
        return found
    }
}
