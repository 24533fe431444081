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

    @Test mutating func firstNumberIsNew() {
        #expect(track.receive(40) == true)
        #expect(track.receive(40) == false)
        #expect(track.nextQuestion() == nil)
    }

    @Test mutating func numberAfterAGapIsDroppedUntilTheGapIsFilled() {
        #expect(track.receive(4) == true)

        #expect(track.receive(6) == false)

        #expect(track.receive(5) == true)
        #expect(track.receive(6) == true)
    }

    @Test mutating func gapThatClosesByItselfIsNotAskedFor() {
        _ = track.receive(4)
        track.hear(of: 6)
        #expect(track.nextQuestion() == nil)

        _ = track.receive(5)

        #expect(track.nextQuestion() == nil)
        #expect(track.nextQuestion() == 5)
    }

    @Test mutating func answerInPartIsFollowedByAnotherQuestion() {
        #expect(ask() == 4)
        _ = track.receive(5)

        #expect(track.endQuestion(.done) == nil)

        #expect(track.nextQuestion() == nil)
        #expect(track.nextQuestion() == 5)
    }

    @Test mutating func whatTheHostHasNoMoreIsGivenUpAfterTheSecondAnswer() {
        #expect(ask() == 4)
        for number in Int64(7)...9 { #expect(track.receive(number) == false) }
        #expect(track.endQuestion(.done) == nil)
        #expect(track.nextQuestion() == nil)
        #expect(track.nextQuestion() == 4)
        for number in Int64(7)...9 { #expect(track.receive(number) == false) }

        #expect(track.endQuestion(.done) == 5...6)

        #expect(track.receive(7) == true)
    }

    @Test mutating func allThatIsMissingIsGivenUpIfTheHostRefuses() {
        #expect(ask() == 4)

        #expect(track.endQuestion(.failed) == 5...9)

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
        track.restart()
        track.hear(of: .max)
        #expect(track.nextQuestion() == nil)
        #expect(track.nextQuestion() == 0)
        #expect(track.endQuestion(.failed) == 1...Int64.max)
        #expect(track.endQuestion(.failed) == nil)
    }
}
