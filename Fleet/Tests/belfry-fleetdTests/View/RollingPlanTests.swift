// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Testing

@testable import belfry_fleetd

/// The way of a plan from host to host, and what keeps it from it.
struct RollingPlanTests {
    @Test func nextHostFollowsWhenTheLastIsHealthy() {
        var roll = Roll(.reload)
        #expect(roll.begin() == ["sent h1", "reload to h1"])

        #expect(roll.answer() == ["answered h1"])
        #expect(roll.wake(after: 9.9) == [])
        #expect(roll.wake(after: 0.1) == ["healthy h1", "sent h2", "reload to h2"])
        #expect(roll.answer() == ["answered h2"])
        #expect(roll.wake(after: 10) == ["healthy h2", "sent h3", "reload to h3"])
        #expect(roll.answer() == ["answered h3"])
        #expect(roll.wake(after: 10) == ["healthy h3", "end: finished"])
        #expect(!roll.plan.isRunning)
    }

    @Test func hostIsPausedForATimeAndResumed() {
        var roll = Roll(.pause, pause: .seconds(3))
        #expect(roll.begin() == ["sent h1", "pause to h1"])

        #expect(roll.change("h1", isActive: false) == [])
        #expect(roll.answer() == ["paused h1"])
        #expect(roll.wake(after: 2.9) == [])
        #expect(roll.wake(after: 0.1) == ["resuming h1", "resume to h1"])
        #expect(roll.answer() == ["answered h1"])
        #expect(roll.wake(after: 20) == [])
        #expect(roll.change("h1", isActive: true) == [])
        #expect(roll.wake(after: 10) == ["healthy h1", "sent h2", "pause to h2"])
    }

    @Test func healthyTimeBeginsAgainAfterAnInterruption() {
        var roll = Roll(.reload, upTo: .answered)
        #expect(roll.wake(after: 9) == [])

        #expect(roll.change("h1", isActive: false) == [])
        #expect(roll.wake(after: 5) == [])
        #expect(roll.change("h1", isActive: true) == [])
        #expect(roll.wake(after: 9) == [])
        #expect(roll.wake(after: 1) == ["healthy h1", "sent h2", "reload to h2"])
    }

    @Test func newStartOfAnActiveHostIsAnInterruptionToo() {
        var roll = Roll(.reload, upTo: .answered)
        #expect(roll.wake(after: 9) == [])

        #expect(roll.change("h1", isActive: true) == [])

        #expect(roll.wake(after: 9) == [])
        #expect(roll.wake(after: 1).first == "healthy h1")
    }

    @Test func hostThatIsAwayForAnyReasonCounts() {
        var roll = Roll(.pause)

        #expect(roll.begin(active: ["h1", "h2"]) == ["waiting h1: not active: h3"])
        #expect(roll.wake(after: 299) == [])
        #expect(roll.change("h3", isActive: true) == ["sent h1", "pause to h1"])
    }

    @Test func hostsMayBeAwayAsLongAsThereAreFewerThanAllowed() {
        var roll = Roll(.pause, awayMax: 2)

        #expect(roll.begin(active: ["h1", "h2"]) == ["sent h1", "pause to h1"])
        #expect(roll.change("h1", isActive: false) == [])
        #expect(roll.answer() == ["paused h1"])
    }

    @Test func onlyAnActiveHostGetsTheCommand() {
        var roll = Roll(.reload, awayMax: 2)

        #expect(roll.begin(active: ["h2", "h3"]) == ["waiting h1: not active: h1"])
        #expect(roll.change("h2", isActive: false) == [])
        #expect(roll.change("h1", isActive: true) == ["sent h1", "reload to h1"])
    }

    @Test func planStopsWhenTheHostsThatAreAwayDoNotComeBack() {
        var roll = Roll(.pause)
        _ = roll.begin(active: ["h1", "h2"])

        #expect(roll.wake(after: 300) == ["end: not active: h3"])
        #expect(!roll.plan.owesResume)
    }

    @Test func otherHostsDoNotMatter() {
        var roll = Roll(.pause)
        _ = roll.begin(active: ["h1", "h2", "h3", "other"])

        #expect(roll.change("other", isActive: false) == [])
        #expect(roll.answer() == ["paused h1"])
    }

    @Test(
        arguments: [
            (.answered(.failed, reason: "bad file", result: nil), "failed: bad file"), (.timeout, "timeout"),
            (.away, "away"),
        ] as [(PendingCommands.Ending, String)])
    func planStopsAtAHostThatFails(ending: PendingCommands.Ending, reason: String) {
        var roll = Roll(.reload, upTo: .told)
        #expect(roll.end(ending) == ["end: reload: \(reason)"])
        #expect(roll.plan.host == "h1")
        #expect(roll.change("h2", isActive: false) == [])
        #expect(roll.wake(after: 1000) == [])
    }

    private static let failure = "done, but listener 'nginx' failed at didBecomeActive: no"

    @Test func planStopsAtAHostWhoseListenerFails() {
        var roll = Roll(.reload, upTo: .told)

        #expect(roll.answerWithFailure() == ["end: reload: \(Self.failure)"])
        #expect(roll.begin() == ["sent h1", "reload to h1"])
    }

    @Test func hostWhoseListenerFailsAtThePauseIsResumed() {
        var roll = Roll(.pause, upTo: .told)

        #expect(roll.answerWithFailure() == ["resuming h1: pause: \(Self.failure)", "resume to h1"])
        #expect(roll.answer() == ["answered h1", "end: pause: \(Self.failure)"])
    }

    @Test func planStopsAtAHostWhoseListenerFailsAtTheResume() {
        var roll = Roll(.pause, upTo: .answered)
        #expect(roll.wake(after: 0) == ["resuming h1", "resume to h1"])

        #expect(
            roll.answerWithFailure() == ["failed h1: resume: \(Self.failure)", "end: resume: \(Self.failure)"])
    }

    @Test func planStopsAtAHostWhoseListenersDoNotWorkAtTheEnd() {
        var roll = Roll(.reload, upTo: .answered)
        #expect(roll.pass(10) == ["check to h1"])
        #expect(roll.change("h1", isActive: true) == [])

        #expect(
            roll.answer(.failed, "disk is unhealthy: full") == [
                "end: it is not healthy: failed: disk is unhealthy: full"
            ])

        #expect(roll.begin() == [])
        #expect(roll.wake(after: 10) == ["healthy h1", "sent h2", "reload to h2"])
    }

    @Test func planStopsAtAHostThatDoesNotComeBack() {
        var roll = Roll(.reload, upTo: .answered)
        _ = roll.change("h1", isActive: false)

        #expect(roll.wake(after: 299) == [])
        #expect(roll.wake(after: 1) == ["end: it was not active for 10 s within 5 min"])
    }

    @Test func hostThatIsActiveTooLateDoesNotCount() {
        var roll = Roll(.reload, upTo: .answered)
        _ = roll.change("h1", isActive: false)
        #expect(roll.wake(after: 295) == [])

        #expect(roll.change("h1", isActive: true) == [])

        #expect(roll.wake(after: 5) == ["end: it was not active for 10 s within 5 min"])
    }

    @Test func hostThatRefusesThePauseIsNotResumed() {
        var roll = Roll(.pause, upTo: .told)

        #expect(roll.answer(.refused, "not accepted") == ["end: pause: refused: not accepted"])
        #expect(!roll.plan.owesResume)
    }

    @Test func hostThatMayBePausedIsResumed() {
        var roll = Roll(.pause, upTo: .told)

        #expect(roll.end(.timeout) == ["resuming h1: pause: timeout", "resume to h1"])
        #expect(roll.answer() == ["answered h1", "end: pause: timeout"])
        #expect(!roll.plan.owesResume)
    }
}
