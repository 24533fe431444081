// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfrySources
@testable import BelfrySystemd
import Glibc
import Lifecycle
import LifecycleTesting
import TestSupport
import Testing

/// With a stand-in for the service manager that replies when the test allows it.
@Suite(.timeLimit(.minutes(1)))
struct StopReasonSourceTests {
    static let stop = ["willResignActive", "didEnterBackground", "willTerminate"]
    let fixture: BusSourceFixture
    let manager: BusPeer
    let source: StopReasonSource
    let stopJobs = Counter()

    init() throws {
        fixture = try BusSourceFixture()
        manager = try fixture.peer("org.freedesktop.systemd1")
        let unit = ServiceManagerUnit(name: "lantern.service", on: fixture.bus)
        source = StopReasonSource(
            mediator: fixture.mediator, unit: unit, announced: { .kexec },
            onStopJob: { [stopJobs] in stopJobs.value += 1 })
    }

    final class Counter { var value = 0 }

    @Test func reasonIsTheJobOfTheManager() throws {
        answer("restart")

        source.stop(Self.origin)
        try fixture.turn { fixture.names == Self.stop }

        #expect(reason == "restart")
        #expect(stopJobs.value == 0)
    }

    @Test func stopWaitingForItsReasonPrecedesLaterTransitions() throws {
        fixture.mediator.perform(.pause)
        fixture.posted = []

        source.stop(Self.origin)
        fixture.mediator.perform(.resume)
        #expect(fixture.names == [])
        answer("stop")
        try fixture.turn { !fixture.names.isEmpty }

        #expect(fixture.names == ["willTerminate"])
        #expect(reason == "stop")
        #expect(stopJobs.value == 1)
    }

    @Test func secondStopDoesNotWaitForTheReason() {
        fixture.daemon.send(SIGSTOP)

        source.stop(Self.origin)
        #expect(fixture.names == Self.stop.dropLast())
        source.stop(Self.origin)

        #expect(fixture.names == Self.stop)
        #expect(reason == "kexec")
    }

    @Test func waitForTheReasonEndsAfter200Milliseconds() {
        fixture.daemon.send(SIGSTOP)

        source.stop(Self.origin)
        fixture.clock.advance(by: .milliseconds(199))
        #expect(fixture.names == Self.stop.dropLast())
        fixture.clock.advance(by: .milliseconds(1))

        #expect(fixture.names == Self.stop)
        #expect(reason == "kexec")
        #expect(stopJobs.value == 0)
    }

    @Test func errorReplyEndsTheWait() throws {
        source.stop(Self.origin)
        try fixture.turn { fixture.names == Self.stop }

        #expect(reason == "kexec")
    }

    @Test func turnOfAnApplicationThatCannotBeWaitedForIsTold() throws {
        fixture.daemon.stop()
        try fixture.turn { !fixture.bus.isReady }
        var problems: [String] = []
        let unit = ServiceManagerUnit(name: "lantern.service", on: fixture.bus)
        let source = StopReasonSource(
            mediator: fixture.mediator, unit: unit, application: "shop.service", problem: { problems.append($0) },
            announced: { nil }, onStopJob: {})

        source.stop(Self.origin)

        #expect(fixture.names == Self.stop.dropLast() && problems.count == 1)
        let early = ", Stop= may run before what is ordered after shop.service has stopped"
        #expect(problems.first?.hasSuffix(early) == true)
    }

    @Test func shutdownProgramReplacesTheManager() {
        fixture.daemon.send(SIGSTOP)
        let unit = ServiceManagerUnit(name: "lantern.service", on: fixture.bus)
        let source = StopReasonSource(mediator: fixture.mediator, unit: unit, announced: { nil }) {
            ["/usr/lib/systemd/systemd-shutdown", "poweroff"]
        } onStopJob: {
        }

        source.stop(Self.origin)

        #expect(fixture.names == Self.stop)
        #expect(reason == "powerOff")
    }

    @Test func stopDoesNotWaitWithoutABus() throws {
        fixture.daemon.stop()
        try fixture.turn { !fixture.bus.isReady }

        source.stop(SignalOrigin(number: 15, name: "SIGTERM", pid: 4711, uid: 0, unit: "session-1.scope"))

        #expect(fixture.names == Self.stop)
        #expect(reason == "signal")
    }

    /// The jobs of the system manager, nil if it refuses; the job of the user's manager, and the reason.
    @Test(
        arguments: [
            (["poweroff.target": "start"], "stop", "powerOff"), (["other.service": "stop"], "stop", "stop"),
            (nil, "stop", "kexec"), (["poweroff.target": "start"], "restart", "restart"),
        ] as [([String: String]?, String, String)])
    func userServiceAsksTheSystemManagerAboutAShutdown(
        _ jobs: [String: String]?, job: String, reason: String
    ) throws {
        #expect(try reasonOfAUserService(jobs, job: job) == .string(reason))
    }

    @Test(
        arguments: [
            (["other.service": "stop"], 1), (["poweroff.target": "start"], 0), (nil, 0),
        ] as [([String: String]?, Int)])
    func userServiceHasAStopJobOnlyIfTheSystemManagerHasNoShutdown(_ jobs: [String: String]?, count: Int) throws {
        _ = try reasonOfAUserService(jobs, announced: nil)

        #expect(stopJobs.value == count)
    }

    private static let origin = SignalOrigin(number: 15, name: "SIGTERM", pid: 1, uid: 0, unit: "init.scope")

    private var reason: JSONValue? { fixture.posted.last?.userInfo["reason"] }

    /// The posted reason if the manager of a user stops the service and the system manager has these jobs; `nil` as jobs
    /// makes the system manager refuse.
    private func reasonOfAUserService(
        _ jobs: [String: String]?, job: String = "stop", announced: ShutdownKind? = .kexec
    ) throws -> JSONValue? {
        let daemon = try PrivateBus()
        try daemon.start()
        let bus = SystemBus(loop: fixture.loop, address: daemon.address)
        bus.connect()
        try fixture.turn { bus.isReady }
        let system = try BusPeer("org.freedesktop.systemd1", at: daemon.address, on: fixture.loop)
        if let jobs { Self.answer(jobs, of: system) }
        answer(job)
        let unit = ServiceManagerUnit(name: "lantern.service", on: fixture.bus, system: bus)
        let source = StopReasonSource(
            mediator: fixture.mediator, unit: unit, announced: { announced },
            onStopJob: { [stopJobs] in stopJobs.value += 1 })

        source.stop(Self.origin)
        try fixture.turn { fixture.names == Self.stop }

        withExtendedLifetime(system) {}
        return reason
    }

    private func answer(_ job: String) {
        manager.answer("Get") { reply in
            BusWriting.container("v", "s", to: reply) { BusWriting.text("deactivating", to: reply) }
        }
        Self.answer(["lantern.service": job], of: manager)
    }

    private static func answer(_ jobs: [String: String], of manager: BusPeer) {
        manager.answer("ListJobs") { reply in
            BusWriting.container("a", "(usssoo)", to: reply) {
                for (unit, type) in jobs {
                    BusWriting.container("r", "usssoo", to: reply) {
                        BusWriting.number(UInt32(1), "u", to: reply)
                        for text in [unit, type, "running"] { BusWriting.text(text, to: reply) }
                        for path in ["/job", "/unit"] { BusWriting.text(path, "o", to: reply) }
                    }
                }
            }
        }
    }
}

struct StopReasonTests {
    nonisolated static let shutdowns: [(ShutdownKind?, Termination.Reason)] = [
        (.reboot, .reboot), (.powerOff, .powerOff), (.halt, .halt), (.kexec, .kexec), (.softReboot, .softReboot),
        (nil, .stop),
    ]

    @Test(arguments: shutdowns, [false, true])
    func stopJobHasTheReasonOfTheShutdown(_ shutdown: (ShutdownKind?, Termination.Reason), isFromManager: Bool) {
        let ending = UnitEnding(job: .stop, isFailing: true, shutdown: shutdown.0)

        #expect(StopReason(ending, isFromManager: isFromManager, announced: nil).reason == shutdown.1)
    }

    @Test(arguments: shutdowns, [false, true])
    func signalWithoutAJobHasTheReasonSignal(_ shutdown: (ShutdownKind?, Termination.Reason), isFromManager: Bool) {
        // systemctl kill sends the signal from the process of the manager.
        let ending = UnitEnding(job: nil, shutdown: shutdown.0)

        #expect(StopReason(ending, isFromManager: isFromManager, announced: shutdown.0).reason == .signal)
    }

    @Test func managerMayStopAUnitWithoutAJob() {
        // As at the end of RuntimeMaxSec=.
        let ending = UnitEnding(job: nil, isFailing: true)

        #expect(StopReason(ending, isFromManager: true, announced: nil).reason == .stop)
    }

    @Test(arguments: shutdowns)
    func managerSignalWithoutAnAnswerHasTheAnnouncedReason(_ shutdown: (ShutdownKind?, Termination.Reason)) {
        #expect(StopReason(nil, isFromManager: true, announced: shutdown.0).reason == shutdown.1)
    }

    @Test(arguments: shutdowns)
    func otherSignalWithoutAnAnswerHasTheReasonSignal(_ shutdown: (ShutdownKind?, Termination.Reason)) {
        #expect(StopReason(nil, isFromManager: false, announced: shutdown.0).reason == .signal)
    }

    /// Job, whether the unit is being stopped, shutdown, whether that is known; and whether the unit is to stay stopped.
    nonisolated static let stopJobs: [(UnitEnding.Job?, Bool, ShutdownKind?, Bool, Bool)] = [
        (.stop, true, nil, true, true), (.stop, false, nil, true, true),
        // A machine that goes down takes the pause with it, except in a soft reboot.
        (.stop, true, .softReboot, true, false), (.stop, true, .reboot, true, false),
        // A manager of a user, and no answer from that of the system.
        (.stop, true, nil, false, false), (.stop, true, .softReboot, false, false),
        (.restart, true, nil, true, false), (.restart, true, .softReboot, true, false),
        // RuntimeMaxSec= is over, and systemctl kill.
        (nil, true, nil, true, false), (nil, false, nil, true, false),
    ]

    @Test(arguments: stopJobs, [false, true])
    func onlyAStopJobWithoutAShutdownIsToKeepTheUnitStopped(
        _ row: (job: UnitEnding.Job?, isFailing: Bool, shutdown: ShutdownKind?, isKnown: Bool, expected: Bool),
        isFromManager: Bool
    ) {
        var ending = UnitEnding(job: row.job, isFailing: row.isFailing, shutdown: row.shutdown)
        ending.isShutdownKnown = row.isKnown

        let reason = StopReason(ending, isFromManager: isFromManager, announced: nil)

        #expect(reason.isStopJob == row.expected)
    }

    @Test(arguments: [nil] + ShutdownKind.allCases, [false, true])
    func missingAnswerIsNoStopJob(_ announced: ShutdownKind?, isFromManager: Bool) {
        #expect(!StopReason(nil, isFromManager: isFromManager, announced: announced).isStopJob)
    }
}
