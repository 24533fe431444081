// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Testing

@testable import belfry_fleetd

/// Other hosts that go away, the loss of the view, and what an operator does.
struct RollingPlanStopTests {
    @Test(arguments: [Roll.Progress.told, .answered, .resuming])
    func hostUnderWayIsBroughtBackWhenAnotherGoesAway(progress: Roll.Progress) {
        var roll = Roll(.pause, pause: .seconds(3), upTo: progress)
        let reason = "too many other hosts are away: h3"

        let actions = roll.change("h3", isActive: false)

        #expect(actions == (progress != .resuming ? ["resuming h1: \(reason)", "resume to h1"] : []))
        #expect(roll.wake(after: 60) == [])
        #expect(roll.change("h2", isActive: false) == [])
        #expect(roll.answer() == ["answered h1", "end: \(reason)"])
        #expect(!roll.plan.owesResume)
    }

    @Test func nothingMoreIsDrainedAfterAnotherWentAway() {
        var roll = Roll(.reload, upTo: .told)

        #expect(roll.change("h3", isActive: false) == ["waiting h1: too many other hosts are away: h3"])
        #expect(roll.change("h2", isActive: false) == [])

        #expect(roll.answer() == ["answered h1", "end: too many other hosts are away: h3"])
        #expect(roll.change("h2", isActive: true) == [])
        #expect(roll.change("h3", isActive: true) == [])
        #expect(roll.wake(after: 100) == [])
    }

    @Test func planStopsWhileAHostRecovers() {
        var roll = Roll(.reload, upTo: .answered)

        #expect(roll.change("h2", isActive: false) == ["end: too many other hosts are away: h2"])
    }

    @Test func planStopsWhenTheViewIsLost() {
        var roll = Roll(.reload, upTo: .told)

        #expect(roll.plan.viewLost("cable cut").words == ["withdraw", "end: cable cut"])
        #expect(roll.plan.viewReturned() == [])
        #expect(roll.plan.host == "h1")
    }

    @Test func hostUnderWayIsResumedWhenTheViewIsBack() {
        var roll = Roll(.pause, upTo: .answered)

        #expect(
            roll.plan.viewLost("cable cut").words == ["resuming h1: cable cut", "resume to h1", "end: cable cut"])
        #expect(roll.end(.away) == [])
        #expect(roll.plan.owesResume)
        #expect(roll.plan.viewReturned().words == ["resume to h1"])
        #expect(roll.answer() == [])
        #expect(!roll.plan.owesResume)
    }

    @Test func planIsContinuedWithTheHostAtWhichItStopped() {
        var roll = Roll(.reload, upTo: .answered)
        _ = roll.wake(after: 10)
        #expect(roll.answer(.failed, nil) == ["end: reload: failed"])

        #expect(roll.begin() == ["sent h2", "reload to h2"])
        #expect(roll.answer() == ["answered h2"])
    }

    @Test func hostThatHasDoneItDoesNotGetItAgain() {
        var roll = Roll(.reload, upTo: .answered)
        _ = roll.change("h1", isActive: false)
        _ = roll.wake(after: 300)

        #expect(roll.begin() == [])
        #expect(roll.wake(after: 10) == ["healthy h1", "sent h2", "reload to h2"])
    }

    @Test func hostThatCouldNotBeResumedIsResumedFirst() {
        var roll = Roll(.pause, upTo: .resuming)
        #expect(roll.answer(.failed, "no") == ["failed h1: resume: failed: no", "end: resume: failed: no"])
        #expect(roll.plan.owesResume)

        #expect(roll.begin(active: ["h2", "h3"]) == ["resuming h1", "resume to h1"])
        #expect(roll.answer() == ["answered h1"])
    }

    @Test func cancelBringsTheHostBack() {
        var roll = Roll(.pause, upTo: .answered)

        #expect(roll.plan.cancel().words == ["resuming h1: cancelled", "resume to h1"])
        #expect(roll.answer() == ["answered h1", "end: cancelled"])
    }

    @Test func cancelOfAStoppedPlanEndsIt() {
        var roll = Roll(.reload, upTo: .told)
        _ = roll.answer(.failed, nil)

        #expect(roll.plan.cancel().words == ["end: cancelled"])
    }

    @Test func cancelTriesOnceMoreToResumeAHost() {
        var roll = Roll(.pause, upTo: .resuming)
        _ = roll.end(.timeout)

        #expect(roll.plan.cancel().words == ["resuming h1: cancelled", "resume to h1"])
        #expect(roll.end(.timeout) == ["failed h1: resume: timeout", "end: cancelled"])
    }

    @Test func cancelCountsDuringAStop() {
        var roll = Roll(.pause, upTo: .answered)
        _ = roll.change("h3", isActive: false)

        #expect(roll.plan.cancel() == [])
        #expect(roll.answer() == ["answered h1", "end: cancelled"])
    }
}
