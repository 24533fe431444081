// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

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
        /// Going back, the record of the cursor was the last one. All from `oldest` on is there.
        case checking(cursor: String?, oldest: UInt64?)
        /// Going on with the record of the cursor.
        case reading(cursor: String)
    }

    private static let most = (replies: 512, bytes: 64 << 10, time: Duration.milliseconds(50))

    private let series: JournalSeries
    private let names: Set<String>?
    private var phase = Phase.checking(cursor: nil, oldest: nil)
    private var gaps = 0
    /// The first one that has not been had.
    package private(set) var next: UInt64

    /// A replay from number `first` on, of these names; nil stands for all.
    package init(_ series: JournalSeries, from first: UInt64, names: Set<String>?) {
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
            return ([], try check(journal, from: cursor, oldest ?? end, isWritten))
        case .reading(let cursor):
            var replies: [JournalReply] = []
            let outcome = try read(journal, from: cursor, upTo: end, isWritten ? patience : nil, &replies)
            return (replies, outcome)
        }
    }

    private mutating func check(
        _ journal: SystemJournal, from cursor: String?, _ end: UInt64, _ isWritten: Bool
    ) throws -> Outcome {
        var oldest = end
        var isNewest = cursor == nil
        let deadline = Deadline(Self.most.time)
        if let cursor { try journal.seek(cursor: cursor) } else { try journal.seekTail() }
        while try journal.previous() {
            guard let number = Self.number(journal) else { continue }
            if isNewest, isWritten { oldest = min(oldest, number + 1) }
            isNewest = false
            if number == oldest - 1 { oldest = number }
            if number < oldest - 1 { return .broken(oldest: oldest, found: true) }
            if oldest <= next {
                phase = .reading(cursor: try journal.cursor)
                return .goesOn
            }
            if deadline.isOver {
                phase = .checking(cursor: try journal.cursor, oldest: oldest)
                return .goesOn
            }
        }
        return .broken(oldest: oldest, found: !isNewest)
    }

    private mutating func read(
        _ journal: SystemJournal, from cursor: String, upTo end: UInt64, _ patience: Duration?,
        _ replies: inout [JournalReply]
    ) throws -> Outcome {
        let deadline = Deadline(Self.most.time)
        var bytes = 0
        // Counts as soon as it is known to be the last of its number.
        var latest: JournalReply?
        try journal.seek(cursor: cursor)
        while next < end {
            guard try waitForNext(journal, patience) else {
                guard let last = latest, last.number + 1 == end, last.isWhole else { break }
                next = end
                if last.isWanted { replies.append(last) }
                return .reached
            }
            guard let number = Self.number(journal), number >= next else { continue }
            if number > next {
                guard number == next + 1, let reply = latest, reply.isWhole else { break }
                next = number
                gaps = 0
                if reply.isWanted { replies.append(reply) }
                bytes += reply.message.count
                let isEnough = replies.count >= Self.most.replies || bytes >= Self.most.bytes || deadline.isOver
                if isEnough, next < end {
                    phase = .reading(cursor: try journal.cursor)
                    return .goesOn
                }
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
        if let names, !names.contains(journal.field("BELFRY_NOTIFICATION") ?? "") {
            return JournalReply(number: number, isWanted: false, isWhole: true)
        }
        let fields = journal.fields(JournalNotification.prefix)
        guard let notification = JournalNotification.whole(fields, bootID: series.bootID) else {
            return JournalReply(number: number, isWanted: true, isWhole: false)
        }
        let reply = VarlinkEncodedReply(continuing: ["notification": .object(notification)])
        return JournalReply(number: number, message: Array(reply.bytes), isWanted: true, isWhole: true)
    }

    private static func number(_ journal: SystemJournal) -> UInt64? {
        journal.field("BELFRY_SEQUENCE").flatMap { UInt64($0) }
    }
}
