// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import BelfryJSON
package import BelfrySystemd
internal import CBelfry
internal import Glibc
internal import Varlink

/// Reads past notifications from the journal, from a number on up to those that memory holds.
///
/// First it goes back from the newest record, to see whether the journal has all of them without a gap; only then it reads.
/// It does so in steps short enough for others to have their turn. Of two records of one number the later one counts: a
/// process that was killed may have written the first one and told nobody, and its number was given again.
package nonisolated struct JournalReplay: Sendable {
    /// What a step came to.
    package enum Outcome: Sendable, Equatable {
        /// There is more.
        case goesOn
        /// What is not in memory has been had.
        case reached
        /// The journal does not have all of it, but all from number `oldest` on. `found` is whether it has any.
        case broken(oldest: UInt64, found: Bool)
    }

    private enum Phase {
        /// Going back, the record of the cursor was the last one. All from `oldest` on is there; nil before the newest.
        case checking(cursor: String?, oldest: UInt64?)
        /// Going on with the record of the cursor, before which `latest` was the last one of the number that is next.
        case reading(cursor: String, latest: JournalReply?)
    }

    private static let most = (replies: 512, bytes: 64 << 10, time: Duration.milliseconds(50))
    /// How many records a step takes, however little time there is, and however much.
    private static let records = 64...4096

    private let series: JournalSeries
    private let names: Set<UTF8Text>?
    private var phase = Phase.checking(cursor: nil, oldest: nil)
    private var gaps = 0
    /// The first one that has not been had.
    package private(set) var next: UInt64

    /// A replay from number `first` on, of these names; nil stands for all.
    package init(_ series: JournalSeries, from first: UInt64, names: Set<UTF8Text>?) {
        self.series = series
        self.names = names
        next = first
    }

    /// Whether the journal has been found to have all of it.
    package var isChecked: Bool { if case .reading = phase { true } else { false } }

    /// Goes on. May take as long as the disk and the journal do, so it is not for the main thread.
    ///
    /// - Parameters:
    ///   - end: the oldest number in memory.
    ///   - isWritten: whether the journal is being written, so that what it does not have yet may still come.
    ///   - patience: how long journald may take to write what was posted.
    package mutating func step(
        upTo end: UInt64, isWritten: Bool, patience: Duration = .seconds(1)
    ) throws -> (replies: [JournalReply], outcome: Outcome) {
        guard next < end else { return ([], .reached) }
        let journal = try series.open()
        switch phase {
        case .checking(let cursor, let oldest):
            return ([], try check(journal, from: cursor, oldest, end, isWritten))
        case .reading(let cursor, let latest):
            var replies: [JournalReply] = []
            let outcome = try read(journal, from: cursor, latest, upTo: end, isWritten ? patience : nil, &replies)
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

    /// How far a step has come: every record counts, whether it is of any use or not.
    private struct Steps {
        private let deadline = Deadline(JournalReplay.most.time)
        private var count = 0

        /// Asked once for each record.
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
        _ patience: Duration?, _ replies: inout [JournalReply]
    ) throws -> Outcome {
        var steps = Steps()
        var bytes = 0
        // Counts as soon as it is known to be the last of its number.
        var latest = begun
        try journal.seek(cursor: cursor)
        while next < end {
            guard try waitForNext(journal, patience) else {
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

    /// Something is missing: looks anew from where on it is whole.
    private mutating func gap(upTo end: UInt64) throws -> Outcome {
        gaps += 1
        phase = .checking(cursor: nil, oldest: nil)
        guard gaps == 1 else { return .broken(oldest: end, found: true) }
        return .goesOn
    }

    private func waitForNext(_ journal: SystemJournal, _ patience: Duration?) throws -> Bool {
        if try journal.next() { return true }
        guard let patience else { return false }
        let deadline = Deadline(patience)
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
        let fields = journal.fields(JournalNotification.prefix)
        guard let notification = JournalNotification.whole(fields, bootID: series.bootID) else {
            return JournalReply(number: number, isWanted: true, isWhole: false)
        }
        let reply = VarlinkEncodedReply(continuing: ["notification": .object(notification)])
        return JournalReply(number: number, message: Array(reply.bytes), isWanted: true, isWhole: true)
    }

    /// The number of a record; nil for what cannot be one, which is an `int` on the socket.
    private static func number(_ journal: SystemJournal) -> UInt64? {
        journal.field("BELFRY_SEQUENCE").flatMap { UInt64($0) }.flatMap { $0 < UInt64(Int64.max) ? $0 : nil }
    }
}

/// A notification from the journal as it is sent.
package nonisolated struct JournalReply: Sendable, Equatable {
    /// Its number.
    package let number: UInt64
    /// The reply as it is sent; empty when it is not wanted.
    package private(set) var message: [UInt8] = []
    /// Whether its name was asked for.
    let isWanted: Bool
    /// Whether the record says all that was sent.
    let isWhole: Bool

    init(number: UInt64, message: [UInt8] = [], isWanted: Bool, isWhole: Bool) {
        self.number = number
        self.message = message
        self.isWanted = isWanted
        self.isWhole = isWhole
    }
}

/// A moment on this thread's own clock from which on something has taken too long.
nonisolated struct Deadline {
    private let end: UInt64

    /// So much time from now on, an hour at most.
    init(_ time: Duration) { end = Self.now + UInt64(max(0, min(time, .seconds(3600)) / .microseconds(1))) }

    var isOver: Bool { Self.now >= end }

    var rest: Duration { .microseconds(Int64(end) - Int64(min(end, Self.now))) }

    private static var now: UInt64 { belfry_clock_usec(CLOCK_MONOTONIC) }
}
