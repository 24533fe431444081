// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// What a turn of the loop dispatches first; lower numbers go before (sd_event_source_set_priority(3)).
nonisolated enum SourcePriority {
    /// That the process had been suspended is known before the SIGCONT that may have come with it is judged.
    static let suspension: Int64 = -20
    /// Signals go before what programs ask for on a socket.
    static let signals: Int64 = -10
}
