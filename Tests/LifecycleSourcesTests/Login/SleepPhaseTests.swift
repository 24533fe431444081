// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import LifecycleSources
import Testing

struct SleepPhaseTests {
    var phase = SleepPhase()

    @Test(arguments: [true, false])
    mutating func aSleepInOrder(isForeground: Bool) {
        #expect(phase.announced(isForeground: isForeground) == [.pause])
        #expect(phase.paused() == [.tell])
        #expect(phase.told() == [.release])
        #expect(phase.isSleeping)
        #expect(phase.ended() == [.lock, .wake])
        #expect(phase.woken() == (isForeground ? [.resume] : []))
        #expect(!phase.isSleeping)
    }

    @Test mutating func whoIsStillPausingWhenTimeIsUpIsToldAtOnce() {
        _ = phase.announced(isForeground: true)

        #expect(phase.timeIsUp() == [.tell, .release])
        #expect(phase.paused() == [])
        #expect(phase.told() == [])
        #expect(phase.ended() == [.lock, .wake])
    }

    @Test mutating func whoIsStillBeingToldWhenTimeIsUpIsLeft() {
        _ = phase.announced(isForeground: true)
        _ = phase.paused()

        #expect(phase.timeIsUp() == [.release])
        #expect(phase.told() == [])
        #expect(phase.timeIsUp() == [])
    }

    @Test mutating func sleepThatDoesNotComeIsNotTold() {
        _ = phase.announced(isForeground: true)

        #expect(phase.ended() == [.resume, .lock])
        #expect(phase.paused() == [])
        #expect(!phase.isSleeping)
    }

    @Test mutating func announcementIsTakenOnce() {
        _ = phase.announced(isForeground: true)

        #expect(phase.announced(isForeground: false) == [])
        #expect(phase.ended() == [.resume, .lock])
    }

    @Test mutating func wakingWithoutASleepIsNothing() {
        #expect(phase.ended() == [])
        #expect(phase.paused() == [])
        #expect(phase.told() == [])
        #expect(phase.timeIsUp() == [])
        #expect(phase.woken() == [])
    }
}
