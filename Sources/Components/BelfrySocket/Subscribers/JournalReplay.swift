// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import BelfryJSON
package import BelfrySystemd
internal import CBelfry
internal import Glibc
internal import Varlink

/// Reads past notifications from the journal, from a number on up to those that are in memory.
///
/// It first goes back from the newest record to check that the journal has all of them without a gap, and then reads them.
/// It does so in short steps, as several subscribers share one thread. Of two records with the same number the later one
/// counts: a process may have been killed after it wrote the first one and before it sent it, and the number was used again.
package nonisolated struct JournalReplay: Sendable {
    /// The result of a step.
    package enum Outcome: Sendable, Equatable {
        /// There is more.
        case goesOn
        /// Everything that is not in memory was read.
        case reached
        /// The journal lacks some, and has all from number `oldest` on. `found` says whether it has any.
        case broken(oldest: UInt64, found: Bool)
    }

    private enum Phase {
        /// Going back. The record at the cursor was the last one. The journal has all from `oldest` on; nil at the beginning.
        case checking(cursor: String?, oldest: UInt64?)
        /// Reading from the record at the cursor on. `latest` is the last record before it with the next number.
        case reading(cursor: String, latest: JournalReply?)
    }

    private static let most = (replies: 512, bytes: 64 << 10, time: Duration.milliseconds(50))
    /// The least and the most records of a step, whatever time they take.
    private static let records = 64...4096

    private let series: JournalSeries
    private let names: Set<UTF8Text>?
    private var phase = Phase.checking(cursor: nil, oldest: nil)
    private var gaps = 0
    /// The first notification that was not read yet.
    package private(set) var next: UInt64

    /// A replay from number `first` on, of these names (nil for all).
    package init(_ series: JournalSeries, from first: UInt64, names: Set<UTF8Text>?) {
        self.series = series
        self.names = names
        next = first
    }

    /// Whether the journal is known to have all of them.
    package var isChecked: Bool { if case .reading = phase { true } else { false } }

    /// Runs the next step. It may wait for the disk and for journald, so it must not run on the main thread.
    ///
    /// - Parameters:
    ///   - end: the oldest number in memory.
    ///   - isWritten: whether records are being written, so that missing ones may still arrive.
    ///   - timeout: how long to wait for journald to write what was posted.
    package mutating func step(
        upTo end: UInt64, isWritten: Bool, timeout: Duration = .seconds(1)
    ) throws -> (replies: [JournalReply], outcome: Outcome) {
        guard next < end else { return ([], .reached) }
        let journal = try series.open()
        switch phase {
        case .checking(let cursor, let oldest):
            return ([], try check(journal, from: cursor, oldest, end, isWritten))
        case .reading(let cursor, let latest):
            var replies: [JournalReply] = []
            let outcome = try read(journal, from: cursor, latest, upTo: end, isWritten ? timeout : nil, &replies)
            return (replies, outcome)
        }
    }

    private mutating func check(
        _ journal: SystemJournal, from cursor: String?, _ known: UInt64?, _ end: UInt64, _ isWritten: Bool
    ) throws -> Outcome {
        var oldest = known
        var steps = Steps()
        if let cursor { try journal.seek(cursor: cursor) } else { try journal.seekTail() }
        while try journal.previous() {
            if let number = Self.number(journal) {
                var from = oldest ?? (isWritten ? min(end, number + 1) : end)
                if number + 1 == from { from = number }
                if number + 1 < from { return .broken(oldest: from, found: true) }
                oldest = from
                if from <= next {
                    phase = .reading(cursor: try journal.cursor, latest: nil)
                    return .goesOn
                }
            }
            if steps.isOver {
                phase = .checking(cursor: try journal.cursor, oldest: oldest)
                return .goesOn
            }
        }
        return .broken(oldest: oldest ?? end, found: oldest != nil)
    }

    /// Decides when a step is over. Every record counts, wanted or not.
    private struct Steps {
        private let deadline = Deadline(JournalReplay.most.time)
        private var count = 0

        /// To be read once for each record.
        var isOver: Bool {
            mutating get {
                count += 1
                guard JournalReplay.records.contains(count) else { return count > JournalReplay.records.upperBound }
                return deadline.isOver
            }
        }
    }

    private mutating func read(
        _ journal: SystemJournal, from cursor: String, _ begun: JournalReply?, upTo end: UInt64,
        _ timeout: Duration?, _ replies: inout [JournalReply]
    ) throws -> Outcome {
        var steps = Steps()
        var bytes = 0
        // It is used as soon as it is known to be the last record of its number.
        var latest = begun
        try journal.seek(cursor: cursor)
        while next < end {
            guard try waitForNext(journal, timeout) else {
                guard let last = latest, last.number + 1 == end, last.isWhole else { break }
                next = end
                if last.isWanted { replies.append(last) }
                return .reached
            }
            let isEnough = steps.isOver || bytes >= Self.most.bytes || replies.count >= Self.most.replies
            if isEnough {
                phase = .reading(cursor: try journal.cursor, latest: latest)
                return .goesOn
            }
            guard let number = Self.number(journal), number >= next else { continue }
            if number > next {
                guard number == next + 1, let reply = latest, reply.isWhole else { break }
                next = number
                gaps = 0
                if reply.isWanted { replies.append(reply) }
                bytes += reply.message.count
            }
            latest = reply(number, journal)
        }
        return next >= end ? .reached : try gap(upTo: end)
    }

    /// Something is missing: checks again from where on the journal is complete.
    private mutating func gap(upTo end: UInt64) throws -> Outcome {
        gaps += 1
        phase = .checking(cursor: nil, oldest: nil)
        guard gaps == 1 else { return .broken(oldest: end, found: true) }
        return .goesOn
    }

    private func waitForNext(_ journal: SystemJournal, _ timeout: Duration?) throws -> Bool {
        if try journal.next() { return true }
        guard let timeout else { return false }
        let deadline = Deadline(timeout)
        while !deadline.isOver {
            try journal.wait(deadline.rest)
            if try journal.next() { return true }
        }
        return false
    }

    private func reply(_ number: UInt64, _ journal: SystemJournal) -> JournalReply {
        if let names, !names.contains(UTF8Text(journal.field("BELFRY_NOTIFICATION") ?? "")) {
            return JournalReply(number: number, isWanted: false, isWhole: true)
        }
        let fields = journal.fields(JournalNotificationReader.prefix)
        guard let notification = JournalNotificationReader.whole(fields, bootID: series.bootID) else {
            return JournalReply(number: number, isWanted: true, isWhole: false)
        }
        let reply = VarlinkEncodedReply(continuing: ["notification": .object(notification)])
        return JournalReply(number: number, message: Array(reply.bytes), isWanted: true, isWhole: true)
    }

    /// The number of a record; nil when it does not fit into an `int` of the interface.
    private static func number(_ journal: SystemJournal) -> UInt64? {
        journal.field("BELFRY_SEQUENCE").flatMap { UInt64($0) }.flatMap { $0 < UInt64(Int64.max) ? $0 : nil }
    }
}

/// A notification from the journal as it is sent.
package nonisolated struct JournalReply: Sendable, Equatable {
    /// Its number.
    package let number: UInt64
    /// The encoded reply; empty when it is not wanted.
    package private(set) var message: [UInt8] = []
    /// Whether its name was asked for.
    let isWanted: Bool
    /// Whether the record contains everything that was sent.
    let isWhole: Bool

    init(number: UInt64, message: [UInt8] = [], isWanted: Bool, isWhole: Bool) {
        self.number = number
        self.message = message
        self.isWanted = isWanted
        self.isWhole = isWhole
    }
}

/// A deadline on the monotonic clock.
nonisolated struct Deadline {
    private let end: UInt64

    /// A deadline after `time` from now, at most an hour.
    init(_ time: Duration) { end = Self.now + UInt64(max(0, min(time, .seconds(3600)) / .microseconds(1))) }

    var isOver: Bool { Self.now >= end }

    var rest: Duration { .microseconds(Int64(end) - Int64(min(end, Self.now))) }

    private static var now: UInt64 { belfry_clock_usec(CLOCK_MONOTONIC) }
}
