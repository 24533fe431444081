// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// What a thread has had of the processors up to one moment.
package nonisolated struct ThreadUsage: Sendable, Equatable {
    /// The moment.
    package var when: MonotonicInstant
    /// For how long it has run so far, in microseconds.
    package var running: UInt64
    /// For how long it has been ready to run without a processor to run on, in microseconds.
    package var queued: UInt64
    /// How often it gave the processor up by itself: to wait, or because it was stopped.
    package var switches: UInt64

    /// What was read.
    package init(when: MonotonicInstant, running: UInt64, queued: UInt64, switches: UInt64) {
        self.when = when
        self.running = running
        self.queued = queued
        self.switches = switches
    }

    /// What a thread has had in between, in the units of the properties.
    typealias Spent = (passed: UInt64, running: UInt64, queued: UInt64, switches: UInt64)

    /// What has been added since. Nil if `later` is of another thread, which has had less.
    func spent(until later: ThreadUsage) -> Spent? {
        guard later.running >= running, later.queued >= queued, later.switches >= switches else { return nil }
        return (
            later.when.microseconds(since: when), later.running - running, later.queued - queued,
            later.switches - switches
        )
    }
}
