// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

@testable import BelfrySources
import BelfrySystemd
import Lifecycle
import TestSupport
import Testing

/// Announcements that the service could not receive: before the connection, during an outage of logind or the bus, and
/// while the process was suspended.
@Suite(.timeLimit(.minutes(1)))
struct MissedAnnouncementTests {
    let fixture: BusSourceFixture
    let source: LoginSource

    init() throws {
        fixture = try BusSourceFixture()
        source = try StandInLogin.source(fixture)
        source.shutdown.inhibitor.isWanted = true
    }

    @Test func sleepUnknownToARestartedLogindHasEnded() throws {
        try fallAsleep(start())

        let another = try start()

        #expect(fixture.names == ["didWake", "willEnterForeground", "didBecomeActive"])
        another.announce("PrepareForSleep", true)
        try fixture.turn { another.held == 1 }
        #expect(fixture.names.suffix(3) == ["willResignActive", "didEnterBackground", "willSleep"])
    }

    @Test func sleepEndedDuringABusOutageIsDetected() throws {
        try fallAsleep(start())
        fixture.daemon.stop()
        try fixture.turn { !fixture.bus.isReady }

        try fixture.daemon.start()
        try fixture.turn { fixture.bus.isReady }
        _ = try start()

        #expect(fixture.names == ["didWake", "willEnterForeground", "didBecomeActive"])
    }

    @Test func sleepThatOutlastsLogindIsPostedOnce() throws {
        try fallAsleep(start())

        let another = try StandInLogin(fixture, prepares: ["Sleep"])
        try fixture.turn { another.held == 1 }
        another.announce("PrepareForSleep", false)
        try fixture.turn { another.held == 2 }

        #expect(fixture.names == ["didWake", "willEnterForeground", "didBecomeActive"])
    }

    @Test func sleepAnnouncedBeforeTheConnectionIsPosted() throws {
        let login = try StandInLogin(fixture, prepares: ["Sleep"])

        try fixture.turn { fixture.names.last == "willSleep" }
        login.announce("PrepareForSleep", false)
        try fixture.turn { login.held == 2 }

        #expect(fixture.names.prefix(2) == ["willResignActive", "didEnterBackground"])
        #expect(fixture.names.suffix(3) == ["didWake", "willEnterForeground", "didBecomeActive"])
        #expect(login.count == 2)
    }

    @Test func shutdownUnknownToARestartedLogindIsForgotten() throws {
        var login: StandInLogin? = try start()
        login?.announce("PrepareForShutdownWithMetadata", true, type: "reboot")
        login?.announce("PrepareForShutdown", true)
        try fixture.turn { login?.held == 1 }
        login = nil

        _ = try start()

        #expect(source.shutdown.kind == nil)
    }

    @Test func shutdownAnnouncedBeforeTheConnectionIsNotDelayed() throws {
        let login = try StandInLogin(fixture, prepares: ["Shutdown"])
        try fixture.turn { login.held == 1 && source.sleep.inhibitor.lock != nil }

        login.announce("PrepareForShutdown", false)
        try fixture.turn { login.held == 2 }

        #expect(login.count == 2)
    }

    @Test func sleepThatEndedDuringASelfSuspensionIsNotPosted() throws {
        let login = try start()
        source.releaseLocks()
        try fixture.turn { login.held == 0 }

        login.announce("PrepareForSleep", true)
        login.announce("PrepareForSleep", false)
        source.refresh()
        try fixture.turn { login.held == 2 }

        #expect(fixture.names == [])
    }

    @Test func sleepPendingAfterASelfSuspensionIsPosted() throws {
        let login = try start()
        source.releaseLocks()
        try fixture.turn { login.held == 0 }

        login.announce("PrepareForSleep", true)
        source.refresh()
        try fixture.turn { fixture.names.last == "willSleep" }

        #expect(fixture.names == ["willResignActive", "didEnterBackground", "willSleep"])
    }

    @Test func selfSuspensionWaitsForRequestedLocks() throws {
        var isIdle = false
        let login = try StandInLogin(fixture)
        try fixture.turn { source.sleep.inhibitor.question != nil }
        source.whenIdle { isIdle = true }
        #expect(!isIdle)

        try fixture.turn { isIdle }

        #expect(source.sleep.inhibitor.lock != nil && source.shutdown.inhibitor.lock != nil)
        #expect(login.held == 2)
    }

    @Test func selfSuspensionWaitsForTheEndOfASleep() throws {
        let login = try start()
        try fallAsleep(login)
        var stateWhenIdle: LifecycleState?
        fixture.mediator.perform(.pause)
        source.whenIdle { [mediator = fixture.mediator] in stateWhenIdle = mediator.state }
        try fixture.loop.turnWithoutWaiting()
        #expect(stateWhenIdle == nil)

        login.announce("PrepareForSleep", false)
        try fixture.turn { stateWhenIdle != nil }

        #expect(stateWhenIdle == .background && fixture.names == ["didWake"] && source.sleep.inhibitor.lock != nil)
    }

    /// Starts a logind, and returns when both locks are held.
    private func start() throws -> StandInLogin {
        let login = try StandInLogin(fixture)
        try fixture.turn {
            login.held == 2 && source.sleep.inhibitor.lock != nil && source.shutdown.inhibitor.lock != nil
        }
        return login
    }

    /// Announces a sleep; then clears the list of notifications and releases logind.
    private func fallAsleep(_ login: StandInLogin) throws {
        login.announce("PrepareForSleep", true)
        try fixture.turn { login.held == 1 }
        #expect(fixture.names == ["willResignActive", "didEnterBackground", "willSleep"])
        fixture.posted = []
    }
}
