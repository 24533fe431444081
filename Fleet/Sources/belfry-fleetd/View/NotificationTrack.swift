// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryClient

/// Which notifications of one boot of a host have come. They are used in order: one that comes after a gap is dropped, since the
/// host sends it again when it is asked for what is missing. So this takes the same memory whatever happens.
nonisolated struct NotificationTrack: Sendable, Equatable {
    /// How a host answers a question for what is missing.
    enum Answer: Sendable, Equatable {
        /// It says that it has sent all that it has, up to this number.
        case done(last: Int64?)
        /// It does not send it.
        case failed
        /// It is busy, or went away. It is asked again.
        case later
    }

    /// Numbers that will not come.
    struct Missing: Sendable, Equatable {
        let first: Int64
        /// Nil if it is not known how many there were.
        let last: Int64?

        var text: String {
            last.map { "notifications \(first) to \($0) are missing" }
                ?? "notifications from \(first) on may be missing"
        }
    }

    private struct Question: Sendable, Equatable {
        let after: Int64
        /// The lowest number beyond the gap that the answer has.
        var lowest: Int64?
    }

    /// All numbers up to this one have come, or are not owed; nil before the first.
    private var last: Int64?
    /// The highest number that is known to exist.
    private(set) var newest: Int64 = 0
    /// Whether the boot is over, and nobody knows how many there were.
    private var isEnded = false
    /// Where a gap began when it was looked at before. What is on its way may close it.
    private var gapStart: Int64?
    private var question: Question?
    /// Where the last question began, if it was answered in vain.
    private var vainStart: Int64?

    /// The numbers begin again, in another boot.
    ///
    /// - Returns: the track of the boot that is over; nil if nothing of it is owed.
    mutating func restart() -> NotificationTrack? {
        guard last != nil else { return nil }
        var ended = self
        ended.isEnded = true
        self = NotificationTrack()
        last = 0
        return ended
    }

    /// Whether nothing is missing.
    var isComplete: Bool { !isEnded && last == newest }

    /// The host says that it has had the notification with this number.
    mutating func hear(of number: Int64) {
        newest = max(newest, number)
        if last == nil { last = number }
    }

    /// Whether the notification with this number, which is more than 0, is the next one.
    mutating func receive(_ number: Int64) -> Bool {
        newest = max(newest, number)
        guard let last, number - 1 != last else {
            last = number
            return true
        }
        if number > last, let question { self.question?.lowest = min(question.lowest ?? number, number) }
        return false
    }

    /// To be called now and then. The number after which notifications are missing and are to be asked for, if they were missing
    /// at the last call too.
    mutating func nextQuestion() -> Int64? {
        guard question == nil, let last, last < newest || isEnded else { return nil }
        guard gapStart == last || isEnded else {
            gapStart = last
            return nil
        }
        question = Question(after: last)
        return last
    }

    /// The host has answered the question, or has not in time.
    ///
    /// - Returns: what will not come.
    mutating func endQuestion(_ answer: Answer) -> Missing? {
        guard let question, let last else { return nil }
        self.question = nil
        gapStart = nil
        var isDone = false
        if case .done(let sent) = answer { (isDone, newest) = (true, max(newest, sent ?? 0)) }
        guard answer != .later, last == question.after else { return nil }
        if last >= newest {
            let missing = isEnded && !isDone ? Missing(first: last.adding(1), last: nil) : nil
            isEnded = false
            return missing
        }
        // Messages of an answer may be lost too, so it is asked once more.
        if isDone, vainStart != last {
            vainStart = last
            return nil
        }
        let end = isDone ? question.lowest.map { $0 - 1 } ?? newest : newest
        self.last = end
        return Missing(first: last + 1, last: end)
    }
}
