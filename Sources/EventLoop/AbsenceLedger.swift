// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// Whether a thread was kept from running while it was at work, as a stop signal does it.
///
/// Time passes while the thread runs, while it is ready and has no processor, and while the loop waits. All of that is
/// counted, so what is left is time in which it was stopped, or in a call that blocks; or in which a hypervisor ran
/// somebody else, but a thread gives up the processor for the others only. What is in doubt is counted as work: a wait's
/// own use of the processor counts twice.
///
/// A stop that hits the thread while it wakes up is part of the wait by the clock. It shows in that the processor was given
/// up more often than the loop waited, and that the work before did not do it: whoever blocks takes time.
package nonisolated struct AbsenceLedger: Sendable, Equatable {
    /// Shorter ones are not told: a busy machine, or a slow disk, keeps a thread from running for as long.
    private static let significant: UInt64 = 100_000
    /// After a wait of this length the thread had no work.
    private static let idle: UInt64 = 1000
    /// A wait of this length has given up the processor.
    private static let sleeping: UInt64 = 100
    /// One that is over sooner had something to take at once.
    private static let immediate: UInt64 = 20
    /// How old a beginning may become before the next wait is a new one.
    private static let validity: UInt64 = 500

    private var began: ThreadUsage?
    private var ended: Duration?
    private var waited: UInt64 = 0
    private var sleeps: UInt64 = 0
    /// Waits of which it is not known whether they gave up the processor.
    private var naps: UInt64 = 0

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
        begin(usage, after: usage.flatMap { absenceInWork(until: $0) })
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
        if wait >= Self.sleeping { sleeps += 1 } else if wait >= Self.immediate { naps += 1 }
        if wait >= Self.idle { ended = nil }
        guard wait >= Self.significant else { return }
        let now = usage()
        begin(now, after: now.map { hasGivenUpMore(until: $0) } == true ? .microseconds(wait) : nil)
    }

    /// For how long at the most the thread was kept from running; nil if it was not.
    package func absence(until now: ThreadUsage) -> Duration? { absenceInWork(until: now) ?? ended }

    /// Whether the processor was given up more often than the loop waited, and not by work that blocked.
    private func hasGivenUpMore(until now: ThreadUsage) -> Bool {
        guard let began, now.switches - began.switches > sleeps + naps else { return false }
        let accounted = waited + (now.running - began.running) + (now.queued - began.queued)
        return now.when.microseconds(since: began.when) <= accounted + Self.immediate
    }

    private func absenceInWork(until now: ThreadUsage) -> Duration? {
        guard let began, now.switches > began.switches else { return nil }
        let passed = now.when.microseconds(since: began.when)
        let worked = now.running - began.running
        let queued = now.queued - began.queued
        guard passed >= waited + worked + queued + Self.significant else { return nil }
        // A wait that took long may have been kept from running itself, and not have given up the processor.
        let missing = passed - waited - worked - queued
        guard now.switches - began.switches > sleeps || missing > worked + queued else { return nil }
        return .microseconds(missing + queued)
    }
}
