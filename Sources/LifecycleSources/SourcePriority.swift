// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import BelfryConfiguration

/// What a turn of the loop dispatches first; lower numbers go before (sd_event_source_set_priority(3)).
package nonisolated enum SourcePriority {
    /// That the process had been suspended is known before the SIGCONT that may have come with it is judged.
    package static let suspension: Int64 = -20
    /// Signals go before what programs ask for on a socket.
    package static let signals: Int64 = -10

    /// Of the signals that wait the kernel gives the lowest number first (signal(7)). A stop, whatever its number, goes
    /// before the SIGCONT that the service manager sends right after it, which is no *continue* then.
    package static func signal(_ action: SignalAction) -> Int64 {
        action == .stop || action == .stopNow ? -15 : signals
    }
}
