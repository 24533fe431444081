// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

nonisolated extension LifecycleReport {
    /// What all listeners made of it, as if they were one.
    var combinedOutcome: ListenerOutcome {
        let outcomes = listeners.map(\.outcome)
        let problems = problems.joined(separator: "; ")
        if !refusals.isEmpty { return .refused(problems) }
        if outcomes.contains(.handled) { return .handled }
        if outcomes.contains(.fetched(.newData)) { return .fetched(.newData) }
        if !problems.isEmpty { return .failed(problems) }
        if outcomes.contains(.fetched(.noData)) { return .fetched(.noData) }
        return outcomes.contains(.declined) ? .declined : .completed
    }
}
