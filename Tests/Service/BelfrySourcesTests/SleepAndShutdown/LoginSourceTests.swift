// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryEventLoop
import Lifecycle
@testable import BelfrySources
import LifecycleTesting
import BelfrySystemd
import TestSupport
import Testing

/// With a stand-in for logind; the real one, and the one of python-dbusmock, are in the system tests.
@Suite(.timeLimit(.minutes(1)))
struct LoginSourceTests {
    let fixture: BusSourceFixture
    let source: LoginSource
    private let problems = SeenProblems()

    init() throws {
        fixture = try BusSourceFixture()
        source = try StandInLogin.source(fixture) { [problems] in problems.seen.append($0) }
    }

    @Test func sleepPausesAndReleasesTheLockAndWakingResumes() throws {
        let login = try start()

        login.announce("PrepareForSleep", true)
        try fixture.turn { login.held == 0 }
        #expect(fixture.names == ["willResignActive", "didEnterBackground", "willSleep"])
        fixture.posted = []
        login.announce("PrepareForSleep", false)
        try fixture.turn { login.held == 1 }

        #expect(fixture.names == ["didWake", "willEnterForeground", "didBecomeActive"])
        #expect(login.count == 2)
    }

    @Test func serviceWithAPendingPauseStaysPaused() throws {
        let login = try start()
        let task = fixture.mediator.beginBackgroundTask(named: "copy", deadline: .seconds(60))
        fixture.mediator.perform(.pause)

        login.announce("PrepareForSleep", true)
        try fixture.turn { source.sleep.isSleeping }
        #expect(login.held == 1 && fixture.names == ["willResignActive"])
        task.end()
        try fixture.turn { login.held == 0 }
        login.announce("PrepareForSleep", false)
        try fixture.turn { login.count == 2 }

        #expect(fixture.names == ["willResignActive", "didEnterBackground", "willSleep", "didWake"])
    }

    @Test func interruptedResumeCompletesAfterSleep() throws {
        let login = try start()
        fixture.mediator.perform(.pause)
        let listener = RecordingListener("slow", [.willEnterForeground], behavior: .stubborn)
        try fixture.mediator.addListener(listener)
        fixture.mediator.perform(.resume)

        login.announce("PrepareForSleep", true)
        try fixture.turn { source.sleep.isSleeping }
        fixture.mediator.removeListener(listener)
        fixture.clock.advance(by: .seconds(10))
        try fixture.turn { login.held == 0 }
        fixture.posted = []
        login.announce("PrepareForSleep", false)
        try fixture.turn { login.held == 1 }

        #expect(fixture.names == ["didWake", "willEnterForeground", "didBecomeActive"])
        listener.finish()
    }

    @Test func sleepLockIsReleasedAtTheDeadline() throws {
        let login = try start(delayMaxUsec: 20_000)
        let task = fixture.mediator.beginBackgroundTask(named: "copy", deadline: .seconds(60))

        login.announce("PrepareForSleep", true)
        try fixture.turn { login.held == 0 }

        #expect(fixture.names == ["willResignActive", "didEnterBackground", "willSleep"])
        #expect(problems.seen == [.overrun(.sleep, .milliseconds(20))])
        #expect(!task.isEnded)
        login.announce("PrepareForSleep", false)
        try fixture.turn { fixture.names.last == "didBecomeActive" }
        task.end()
        #expect(fixture.names.suffix(3) == ["didWake", "willEnterForeground", "didBecomeActive"])
    }

    @Test func lockIsTakenFromEachNewLogind() throws {
        var login: StandInLogin? = try start()
        #expect(login?.held == 1)
        login = nil

        let another = try start()

        #expect(another.held == 1)
    }

    @Test func lockIsTakenAgainAfterABusRestart() throws {
        let login = try start()
        fixture.daemon.stop()
        try fixture.turn { !fixture.bus.isReady }
        #expect(login.held == 1)

        try fixture.daemon.start()
        try fixture.turn { fixture.bus.isReady }
        let another = try start()
        try fixture.turn { login.held == 0 }

        #expect(another.held == 1)
    }

    @Test func unwantedLockIsReleased() throws {
        let login = try start()

        source.sleep.inhibitor.isWanted = false
        // The bus may keep its copy of the descriptor for a moment.
        try fixture.turn { login.held == 0 }
        login.announce("PrepareForSleep", true)
        try fixture.turn { fixture.names.last == "willSleep" }
        login.announce("PrepareForSleep", false)
        try fixture.turn { fixture.names.last == "didBecomeActive" }

        #expect(login.count == 1)
    }

    @Test func refusalIsReportedOnce() throws {
        let peer = try fixture.peer("org.freedesktop.login1")
        try fixture.turn { !problems.seen.isEmpty }

        source.sleep.inhibitor.acquire()
        source.sleep.inhibitor.acquire()
        try fixture.turn { peer.calls.count { $0 == "Inhibit" } >= 2 }

        #expect(problems.seen.count == 1)
        #expect(source.sleep.inhibitor.refusal?.isTemporary == false)
        source.sleep.inhibitor.isWanted = false
        #expect(source.sleep.inhibitor.refusal == nil)
    }

    /// As when hundreds of services ask at once.
    @Test func lockThatABusyLogindRefusesIsAskedForAgain() throws {
        let login = try StandInLogin(fixture)
        login.refuseLocks(with: "org.freedesktop.DBus.Error.LimitsExceeded")
        try fixture.turn { problems.seen.count == 1 }
        #expect(source.sleep.inhibitor.refusal?.isTemporary == true)

        login.refuseLocks(with: nil)
        try fixture.turn { source.sleep.inhibitor.lock != nil }

        #expect(source.sleep.inhibitor.refusal == nil && login.count == 1)
        #expect(problems.seen.count == 1)
    }

    @Test func shutdownKindIsStoredAndTheLockReleased() throws {
        source.shutdown.inhibitor.isWanted = true
        let login = try StandInLogin(fixture)
        try fixture.turn { login.held == 2 }

        login.announce("PrepareForShutdownWithMetadata", true, type: "soft-reboot")
        login.announce("PrepareForShutdown", true)
        try fixture.turn { login.held == 1 }

        #expect(source.shutdown.kind == .softReboot)
    }

    @Test func cancelledShutdownIsForgotten() throws {
        source.shutdown.inhibitor.isWanted = true
        let login = try StandInLogin(fixture)
        try fixture.turn { login.held == 2 }

        login.announce("PrepareForShutdownWithMetadata", true, type: "reboot")
        try fixture.turn { source.shutdown.kind == .reboot }
        login.announce("PrepareForShutdownWithMetadata", false, type: "reboot")
        login.announce("PrepareForShutdown", false)
        try fixture.turn { login.held == 2 }

        #expect(source.shutdown.kind == nil)
    }

    @Test func shutdownWaitsForBackgroundTasks() throws {
        source.shutdown.inhibitor.isWanted = true
        let login = try StandInLogin(fixture)
        try fixture.turn { login.held == 2 }
        let task = fixture.mediator.beginBackgroundTask(named: "copy", deadline: .seconds(60))

        login.announce("PrepareForShutdownWithMetadata", true, type: "reboot")
        login.announce("PrepareForShutdown", true)
        try fixture.turn { source.shutdown.kind == .reboot }
        #expect(login.held == 2)
        task.end()
        try fixture.turn { login.held == 1 }

        #expect(fixture.names == [])
    }

    @Test func shutdownLockIsReleasedAtTheDeadline() throws {
        source.shutdown.inhibitor.isWanted = true
        let login = try StandInLogin(fixture, delayMaxUsec: 20_000)
        try fixture.turn { login.held == 2 }
        let task = fixture.mediator.beginBackgroundTask(named: "copy", deadline: .seconds(60))

        login.announce("PrepareForShutdown", true)
        try fixture.turn { login.held == 1 }

        #expect(problems.seen.last == .overrun(.shutdown, .milliseconds(20)))
        withExtendedLifetime(task) {}
    }

    /// Starts a logind, and returns when the lock for a sleep is held.
    private func start(delayMaxUsec: UInt64 = 5_000_000) throws -> StandInLogin {
        let login = try StandInLogin(fixture, delayMaxUsec: delayMaxUsec)
        try fixture.turn { login.held == 1 && source.sleep.inhibitor.lock != nil }
        return login
    }
}

private final class SeenProblems {
    var seen: [LoginProblem] = []
}
