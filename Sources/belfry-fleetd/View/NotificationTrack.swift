// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// Which notifications of one boot of a host have come. They are used in order: one that comes after a gap is dropped, since the
/// host sends it again when it is asked for what is missing. So this takes the same memory whatever happens.
nonisolated struct NotificationTrack: Sendable, Equatable {
    /// How a host answers a question for what is missing.
    enum Answer: Sendable {
        /// It says that it has sent all that it has.
        case done
        /// It does not send it.
        case failed
        /// It is busy, or went away. It is asked again.
        case later
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
    /// Where a gap began when it was looked at before. What is on its way may close it.
    private var gapStart: Int64?
    private var question: Question?
    /// Where the last question began, if it was answered in vain.
    private var vainStart: Int64?

    /// Begins with the next number that is heard of.
    mutating func begin() { self = NotificationTrack() }

    /// The numbers begin again, in another boot.
    mutating func restart() {
        let isBegun = last != nil
        self = NotificationTrack()
        if isBegun { last = 0 }
    }

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
        guard question == nil, let last, last < newest else { return nil }
        guard gapStart == last else {
            gapStart = last
            return nil
        }
        question = Question(after: last)
        return last
    }

    /// The host has answered the question, or has not in time.
    ///
    /// - Returns: the numbers that will not come.
    mutating func endQuestion(_ answer: Answer) -> ClosedRange<Int64>? {
        guard let question, let last else { return nil }
        self.question = nil
        gapStart = nil
        guard answer != .later, last == question.after, last < newest else { return nil }
        // Messages of an answer may be lost too, so it is asked once more.
        if answer == .done, vainStart != last {
            vainStart = last
            return nil
        }
        let end = answer == .done ? question.lowest.map { $0 - 1 } ?? newest : newest
        self.last = end
        return last + 1...end
    }
}
