// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfrySources
import BelfrySystemd
import TestSupport
import Testing

/// What logind said while nobody could hear it: before it was there, while it or the bus was away, while the process was
/// stopped.
@Suite(.timeLimit(.minutes(1)))
struct LoginReturnTests {
    let fixture: BusSourceFixture
    let source: LoginSource

    init() throws {
        fixture = try BusSourceFixture()
        source = try StandInLogin.source(fixture)
        source.shutdown.inhibitor.isWanted = true
    }

    @Test func sleepThatALogindThatCameBackDoesNotKnowIsOver() throws {
        try fallAsleep(start())

        let another = try start()

        #expect(fixture.names == ["didWake", "willEnterForeground", "didBecomeActive"])
        another.announce("PrepareForSleep", true)
        try fixture.turn { another.held == 1 }
        #expect(fixture.names.suffix(3) == ["willResignActive", "didEnterBackground", "willSleep"])
    }

    @Test func sleepThatEndedWhileTheBusWasAwayIsOver() throws {
        try fallAsleep(start())
        fixture.daemon.stop()
        try fixture.turn { !fixture.bus.isReady }

        try fixture.daemon.start()
        try fixture.turn { fixture.bus.isReady }
        _ = try start()

        #expect(fixture.names == ["didWake", "willEnterForeground", "didBecomeActive"])
    }

    @Test func sleepThatGoesOnAfterwardsIsToldOnce() throws {
        try fallAsleep(start())

        let another = try StandInLogin(fixture, prepares: ["Sleep"])
        try fixture.turn { another.held == 1 }
        another.announce("PrepareForSleep", false)
        try fixture.turn { another.held == 2 }

        #expect(fixture.names == ["didWake", "willEnterForeground", "didBecomeActive"])
    }

    @Test func sleepAnnouncedBeforeLogindWasHeardIsToldToo() throws {
        let login = try StandInLogin(fixture, prepares: ["Sleep"])

        try fixture.turn { fixture.names.last == "willSleep" }
        login.announce("PrepareForSleep", false)
        try fixture.turn { login.held == 2 }

        #expect(fixture.names.prefix(2) == ["willResignActive", "didEnterBackground"])
        #expect(fixture.names.suffix(3) == ["didWake", "willEnterForeground", "didBecomeActive"])
        #expect(login.count == 2)
    }

    @Test func endOfTheMachineThatALogindThatCameBackDoesNotKnowIsCalledOff() throws {
        var login: StandInLogin? = try start()
        login?.announce("PrepareForShutdownWithMetadata", true, type: "reboot")
        login?.announce("PrepareForShutdown", true)
        try fixture.turn { login?.held == 1 }
        login = nil

        _ = try start()

        #expect(source.shutdown.kind == nil)
    }

    @Test func endOfTheMachineAnnouncedBeforeLogindWasHeardIsNotWaitedFor() throws {
        let login = try StandInLogin(fixture, prepares: ["Shutdown"])
        try fixture.turn { login.held == 1 && source.sleep.inhibitor.isHeld }

        login.announce("PrepareForShutdown", false)
        try fixture.turn { login.held == 2 }

        #expect(login.count == 2)
    }

    @Test func sleepThatPassedWhileTheProcessWasStoppedIsNotToldAfterwards() throws {
        let login = try start()
        source.releaseLocks()
        try fixture.turn { login.held == 0 }

        login.announce("PrepareForSleep", true)
        login.announce("PrepareForSleep", false)
        source.refresh()
        try fixture.turn { login.held == 2 }

        #expect(fixture.names == [])
    }

    @Test func sleepThatIsStillToComeWhenTheProcessIsBackIsTold() throws {
        let login = try start()
        source.releaseLocks()
        try fixture.turn { login.held == 0 }

        login.announce("PrepareForSleep", true)
        source.refresh()
        try fixture.turn { fixture.names.last == "willSleep" }

        #expect(fixture.names == ["willResignActive", "didEnterBackground", "willSleep"])
    }

    @Test func processThatIsToStopWaitsForALockThatIsOnItsWay() throws {
        var isIdle = false
        let login = try StandInLogin(fixture)
        try fixture.turn { source.sleep.inhibitor.isAsking }
        source.whenIdle { isIdle = true }
        #expect(!isIdle)

        try fixture.turn { isIdle }

        #expect(source.sleep.inhibitor.isHeld && source.shutdown.inhibitor.isHeld)
        #expect(login.held == 2)
    }

    /// Starts a logind, and returns when both locks are held.
    private func start() throws -> StandInLogin {
        let login = try StandInLogin(fixture)
        try fixture.turn {
            login.held == 2 && source.sleep.inhibitor.isHeld && source.shutdown.inhibitor.isHeld
        }
        return login
    }

    /// Has the machine fall asleep. What was told until then is forgotten, and so is logind.
    private func fallAsleep(_ login: StandInLogin) throws {
        login.announce("PrepareForSleep", true)
        try fixture.turn { login.held == 1 }
        #expect(fixture.names == ["willResignActive", "didEnterBackground", "willSleep"])
        fixture.told = []
    }
}
