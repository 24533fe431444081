// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// What the service manager's queue says of the end of a unit.
package nonisolated struct UnitEnding: Sendable, Equatable {
    /// What a job does with the unit.
    package enum Job: String, Sendable, CaseIterable {
        /// It ends, and stays so.
        case stop
        /// It ends, and starts again.
        case restart
    }

    /// What the unit's job does with it; nil when it has none, or one that does not end it.
    package let job: Job?
    /// Whether the manager is ending it, which it also does of its own will, as at the end of `RuntimeMaxSec=`.
    package let isUnderWay: Bool
    /// The end of the machine that is queued.
    package var shutdown: ShutdownKind?

    /// What is known.
    package init(job: Job?, isUnderWay: Bool = false, shutdown: ShutdownKind? = nil) {
        self.job = job
        self.isUnderWay = isUnderWay
        self.shutdown = shutdown
    }

    /// What the jobs, and its own active state, say of the unit of this name.
    package init(of unit: String, jobs: [ManagerJob], activeState: String? = nil) {
        isUnderWay = activeState == "deactivating"
        let types = jobs.filter { $0.unit == unit }.map(\.type)
        job = types.lazy.compactMap { Job(rawValue: $0 == "try-restart" ? "restart" : $0) }.first
        shutdown = ShutdownKind(queuedIn: jobs)
    }
}
