// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// Whether a thread was kept from running while it was at work, as a stop signal does it.
///
/// Time passes while the thread runs, while it is ready and has no processor, and while the loop waits. All of that is
/// counted, so what is left is time in which it was stopped, or in a call that blocks; or in which a hypervisor ran
/// somebody else, but a thread gives up the processor for the others only. What is in doubt is counted as work: a wait's
/// own use of the processor counts twice.
///
/// A stop that hits the thread while it wakes up is part of the wait by the clock. It shows, though it was short, in that the
/// processor was given up more often than the loop waited, and that the work did not do it: whoever blocks takes time.
package nonisolated struct AbsenceLedger: Sendable, Equatable {
    /// Shorter ones in work are not told: a busy machine, or a slow disk, keeps a thread from running for as long.
    private static let significant: UInt64 = 100_000
    /// After a wait of this length the thread had no work; and work of this length may have blocked unseen.
    private static let idle: UInt64 = 1000
    /// A wait of this length has given up the processor.
    private static let sleeping: UInt64 = 100
    /// One that is over sooner had something to take at once, most likely.
    private static let immediate: UInt64 = 20
    /// One that is over sooner had so for certain.
    private static let instant: UInt64 = 3
    /// How much of the work may be lost in the accounts without anything having blocked.
    private static let slack: UInt64 = 20
    /// How old a beginning may become before the next wait is a new one.
    private static let validity: UInt64 = 500

    private var began: ThreadUsage?
    private var ended: Duration?
    private var waited: UInt64 = 0
    private var sleeps: UInt64 = 0
    /// Waits of which it is not known whether they gave up the processor.
    private var naps: UInt64 = 0
    /// Waits that hardly did. A long absence is not doubted for them.
    private var blinks: UInt64 = 0

    /// Nothing is known yet.
    package init() {}

    /// Whether it is time to begin anew, at a moment when the thread has no work.
    package func isStale(at now: MonotonicInstant) -> Bool {
        guard let began else { return true }
        return now.microseconds(since: began.when) >= Self.validity
    }

    /// Begins with what the thread has had until now. An absence that ended before is kept until the thread has no work:
    /// the signal that continued it may be waiting.
    package mutating func begin(_ usage: ThreadUsage?) {
        begin(usage, after: absenceSinceBeginning(until: usage))
    }

    private mutating func begin(_ usage: ThreadUsage?, after absence: Duration?) {
        self = Self()
        began = usage
        ended = absence
    }

    /// Counts a wait of the loop, and begins anew if it was so long that there may be a stop in it.
    package mutating func addWait(from start: MonotonicInstant, to end: MonotonicInstant, usage: () -> ThreadUsage?) {
        let wait = end.microseconds(since: start)
        waited += wait
        if wait >= Self.sleeping {
            sleeps += 1
        } else if wait >= Self.immediate {
            naps += 1
        } else if wait >= Self.instant {
            blinks += 1
        }
        if wait >= Self.idle { ended = nil }
        guard wait >= Self.significant else { return }
        let now = usage()
        let wasStopped = spent(until: now).map { hasGivenUpMore($0, than: sleeps + naps) } ?? false
        begin(now, after: wasStopped ? .microseconds(wait) : nil)
    }

    /// For how long at the most the thread was kept from running; nil if it was not.
    package func absence(until now: ThreadUsage) -> Duration? { absenceSinceBeginning(until: now) ?? ended }

    private func absenceSinceBeginning(until now: ThreadUsage?) -> Duration? {
        spent(until: now).flatMap { absenceInWork($0) ?? absenceInWait($0) }
    }

    private func spent(until now: ThreadUsage?) -> ThreadUsage.Spent? {
        guard let began, let now else { return nil }
        return began.spent(until: now)
    }

    private func absenceInWork(_ spent: ThreadUsage.Spent) -> Duration? {
        let worked = spent.running + spent.queued
        guard spent.switches > 0, spent.passed >= waited + worked + Self.significant else { return nil }
        // A wait that took long may have been kept from running itself, and not have given up the processor.
        let missing = spent.passed - waited - worked
        guard spent.switches > sleeps || missing > worked else { return nil }
        return .microseconds(missing + spent.queued)
    }

    /// A short one, in a wait with little work around it.
    private func absenceInWait(_ spent: ThreadUsage.Spent) -> Duration? {
        guard spent.running + spent.queued < Self.idle else { return nil }
        return hasGivenUpMore(spent, than: sleeps + naps + blinks) ? .microseconds(waited) : nil
    }

    /// Whether the processor was given up more often than by `waits`, and not by work that blocked.
    private func hasGivenUpMore(_ spent: ThreadUsage.Spent, than waits: UInt64) -> Bool {
        spent.switches > waits && spent.passed <= waited + spent.running + spent.queued + Self.slack
    }
}
