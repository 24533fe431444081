// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Testing

@testable import belfry_fleetd

struct NotificationTrackTests {
    private var track = NotificationTrack()

    /// A track on which 4 has come and 9 is known to exist, and its question.
    private mutating func ask() -> Int64? {
        _ = track.receive(4)
        track.hear(of: 9)
        _ = track.nextQuestion()
        return track.nextQuestion()
    }

    @Test mutating func gapThatClosesByItselfIsNotAskedFor() {
        _ = track.receive(4)
        track.hear(of: 6)
        #expect(track.nextQuestion() == nil)

        _ = track.receive(5)

        #expect(track.nextQuestion() == nil)
        #expect(track.nextQuestion() == 5)
    }

    @Test mutating func whatTheHostHasNoMoreIsGivenUpAfterTheSecondAnswer() {
        #expect(ask() == 4)
        for number in Int64(7)...9 { #expect(track.receive(number) == false) }
        #expect(track.endQuestion(.done(last: nil)) == nil)
        #expect(track.nextQuestion() == nil)
        #expect(track.nextQuestion() == 4)
        for number in Int64(7)...9 { #expect(track.receive(number) == false) }

        #expect(track.endQuestion(.done(last: nil)) == NotificationTrack.Missing(first: 5, last: 6))

        #expect(track.receive(7) == true)
    }

    @Test mutating func allThatIsMissingIsGivenUpIfTheHostRefuses() {
        #expect(ask() == 4)

        #expect(track.endQuestion(.failed) == NotificationTrack.Missing(first: 5, last: 9))

        #expect(track.nextQuestion() == nil)
        #expect(track.nextQuestion() == nil)
        #expect(track.receive(10) == true)
    }

    @Test mutating func hostThatIsBusyOrWentAwayIsAskedAgain() {
        #expect(ask() == 4)

        #expect(track.endQuestion(.later) == nil)

        #expect(track.nextQuestion() == nil)
        #expect(track.nextQuestion() == 4)
    }

    @Test mutating func largestNumbersAreNoOverflow() {
        #expect(track.receive(.max) == true)
        #expect(track.receive(.max) == false)
        #expect(track.receive(1) == false)
        _ = track.restart()
        track.hear(of: .max)
        #expect(track.nextQuestion() == nil)
        #expect(track.nextQuestion() == 0)
        #expect(track.endQuestion(.failed) == NotificationTrack.Missing(first: 1, last: .max))
        #expect(track.endQuestion(.failed) == nil)
    }

    @Test mutating func bootThatIsOverIsAskedForUntilNothingComes() throws {
        _ = track.receive(4)
        let restarted = track.restart()
        var ended = try #require(restarted)
        #expect(track.receive(1) == true)

        #expect(ended.nextQuestion() == 4)
        #expect(ended.receive(5) == true)
        #expect(ended.endQuestion(.done(last: nil)) == nil)
        #expect(!ended.isComplete)
        #expect(ended.nextQuestion() == 5)
        #expect(ended.endQuestion(.done(last: nil)) == nil)

        #expect(ended.isComplete)
        #expect(ended.nextQuestion() == nil)
    }

    @Test mutating func restOfABootThatTheHostDoesNotSendIsTold() throws {
        _ = track.receive(4)
        let restarted = track.restart()
        var ended = try #require(restarted)
        #expect(ended.nextQuestion() == 4)

        let missing = ended.endQuestion(.failed)

        #expect(missing?.text == "notifications from 5 on may be missing")
        #expect(ended.isComplete)
    }

    @Test mutating func nothingIsOwedOfABootBeforeTheFirstNotification() {
        #expect(track.restart() == nil)
        #expect(track.receive(7) == true)
    }
}
