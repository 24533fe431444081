// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import BelfrySystemd

/// Limits the records about each subject, a user or a listener, so that none can fill the journal. A pure value.
package nonisolated struct RecordLimit<Subject: Hashable & Sendable>: Sendable {
    private struct Count: Sendable {
        var since: Duration
        var written = 0
        var suppressed = 0
    }

    private static var mostSubjects: Int { 256 }
    /// How many records about a subject are written in an interval.
    private static var burst: Int { 20 }
    private static var interval: Duration { .seconds(30) }
    private var counts: [Subject: Count] = [:]

    /// A limit without records.
    package init() {}

    /// Requests a record about a subject.
    ///
    /// - Parameter now: the present moment, by CLOCK_MONOTONIC.
    /// - Returns: what the record says at its end about those before it that were suppressed, or nil when it is
    ///   suppressed too.
    package mutating func admit(_ subject: Subject, at now: Duration) -> RecordText? {
        var count = counts[subject] ?? Count(since: now)
        var suppressed = 0
        if now - count.since >= Self.interval {
            suppressed = count.suppressed
            count = Count(since: now)
        }
        let isWritten = count.written < Self.burst
        if isWritten { count.written += 1 } else { count.suppressed += 1 }
        if counts[subject] == nil, counts.count >= Self.mostSubjects { forgetOldest() }
        counts[subject] = count
        guard isWritten else { return nil }
        return suppressed > 0 ? "; \(suppressed) such messages before it were suppressed" : ""
    }

    private mutating func forgetOldest() {
        if let oldest = counts.min(by: { $0.value.since < $1.value.since }) { counts[oldest.key] = nil }
    }
}
