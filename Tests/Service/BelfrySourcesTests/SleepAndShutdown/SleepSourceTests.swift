// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

@testable import BelfrySources
import Testing

struct SleepPhaseTests {
    var phase = SleepPhase()

    @Test(arguments: [true, false])
    mutating func completeSleepTakesItsStepsInOrder(hasMoved: Bool) {
        #expect(phase.announced(pauses: 3) == [.pause])
        #expect(phase.paused(hasMoved: hasMoved, pauses: 3) == [.tell])
        #expect(phase.told() == [.release])
        #expect(phase.isSleeping)
        #expect(phase.ended() == [.lock, .wake])
        #expect(phase.woken(pauses: 3) == (hasMoved ? [.resume] : []))
        #expect(!phase.isSleeping)
    }

    @Test mutating func otherPauseOutlastsTheSleep() {
        _ = phase.announced(pauses: 3)
        _ = phase.paused(hasMoved: true, pauses: 0)
        _ = phase.told()
        _ = phase.ended()

        #expect(phase.woken(pauses: 4) == [])
    }

    @Test mutating func deadlineDuringThePauseHurriesItAndReleasesTheLock() {
        _ = phase.announced(pauses: 0)

        #expect(phase.timeIsUp() == [.hurry, .tell, .release])
        #expect(phase.paused(hasMoved: true, pauses: 0) == [])
        #expect(phase.told() == [])
        #expect(phase.ended() == [.lock, .wake])
        #expect(phase.woken(pauses: 0) == [.resume])
    }

    @Test mutating func deadlineDuringDeliveryReleasesTheLock() {
        _ = phase.announced(pauses: 0)
        _ = phase.paused(hasMoved: true, pauses: 0)

        #expect(phase.timeIsUp() == [.release])
        #expect(phase.told() == [])
        #expect(phase.timeIsUp() == [])
    }

    @Test(arguments: [true, false])
    mutating func serviceReturnsFromThePauseForASleepThatIsCalledOff(hasMoved: Bool) {
        _ = phase.announced(pauses: 0)

        #expect(phase.ended() == [.lock])
        #expect(phase.paused(hasMoved: hasMoved, pauses: 0) == (hasMoved ? [.resume] : []))
        #expect(!phase.isSleeping)
    }

    @Test mutating func sleepThatIsAnnouncedAgainWaitsForTheSamePause() {
        _ = phase.announced(pauses: 0)
        _ = phase.ended()

        #expect(phase.isAwaiting)
        #expect(phase.announced(pauses: 0) == [])
        #expect(phase.paused(hasMoved: true, pauses: 0) == [.tell])
    }

    @Test mutating func pauseThatComesAfterTheSleepIsEnded() {
        _ = phase.announced(pauses: 0)
        _ = phase.timeIsUp()
        _ = phase.told()
        _ = phase.ended()
        #expect(phase.woken(pauses: 0) == [])

        #expect(phase.paused(hasMoved: true, pauses: 0) == [.resume])
    }

    @Test mutating func repeatedAnnouncementIsIgnored() {
        _ = phase.announced(pauses: 0)

        #expect(phase.announced(pauses: 0) == [])
        #expect(phase.number == 1)
    }

    @Test mutating func serviceStaysPausedBetweenConsecutiveSleeps() {
        _ = phase.announced(pauses: 0)
        _ = phase.paused(hasMoved: true, pauses: 0)
        _ = phase.told()
        _ = phase.ended()

        #expect(phase.announced(pauses: 0) == [.pause])
        #expect(phase.number == 2)
        #expect(phase.paused(hasMoved: false, pauses: 0) == [.tell])
        #expect(phase.told() == [.release])
        #expect(phase.ended() == [.lock, .wake])
        #expect(phase.woken(pauses: 0) == [.resume])
    }

    @Test mutating func wakingWithoutASleepOnlyTakesTheLock() {
        #expect(phase.ended() == [.lock])
        #expect(phase.paused(hasMoved: false, pauses: 0) == [])
        #expect(phase.told() == [])
        #expect(phase.timeIsUp() == [])
        #expect(phase.woken(pauses: 0) == [])
    }
}
