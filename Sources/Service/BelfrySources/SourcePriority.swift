// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// Priorities of event sources; lower numbers are dispatched first (sd_event_source_set_priority(3)).
nonisolated enum SourcePriority {
    /// Suspensions are reported before a SIGCONT of the same turn.
    static let suspension: Int64 = -20
    /// Signals that stop the service are handled before other signals and before requests on the socket.
    static let stopSignals: Int64 = -10
}
