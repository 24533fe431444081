// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Belfry
import BelfryServiceLifecycle
import Lifecycle
import LifecycleTesting
import ServiceLifecycle
import Testing

@Suite(.timeLimit(.minutes(1)))
struct ServiceGroupTests {
    let fixture = GroupFixture()
    let cue = Cue()
    var mediator: LifecycleMediator { fixture.mediator }

    @Test func servicesRunBeforeTheServiceIsActive() async throws {
        try fixture.add(fixture.service("a"), fixture.service("b"))
        var running: [String] = []
        let observation = mediator.addObserver(forName: .didBecomeActive) { [fixture] _ in
            running = fixture.journal.lines.sorted()
        }

        await fixture.perform(.launch)

        #expect(running == ["a runs", "b runs"])
        observation.cancel()
        await fixture.perform(.stop)
    }

    @Test func launchContinuesWhenReady() async throws {
        let ready = ServiceReadiness()
        try fixture.add(fixture.service("a"), readiness: ready)
        mediator.perform(.launch) { _ in }
        await fixture.until { fixture.journal.lines == ["a runs"] }
        #expect(mediator.state == .inactive)

        ready.signal()
        await fixture.until { mediator.state == .active }

        #expect(fixture.clock.pendingTimers == 0)
        await fixture.perform(.stop)
    }

    @Test func readinessTimeoutRefusesTheLaunch() async throws {
        try fixture.add(fixture.service("a"), readiness: ServiceReadiness())
        mediator.perform(.launch) { [fixture] in fixture.ended.append($0) }
        await fixture.until { fixture.journal.lines == ["a runs"] }

        fixture.clock.advance(by: mediator.deadlines.listener)
        await fixture.until { !fixture.ended.isEmpty }

        #expect(fixture.ended.first?.result == .refused(["serviceGroup: no answer within its deadline"]))
        #expect(fixture.journal.lines == ["a runs", "a has shut down"])
        #expect(fixture.failures.isEmpty)
    }

    @Test func groupThatEndsBeforeItIsReadyRefusesTheLaunch() async throws {
        cue.give()
        try fixture.add(fixture.service("a"), fixture.service("b", .finishing(cue)), readiness: ServiceReadiness())

        let report = await fixture.perform(.launch)

        #expect(
            report.result == .refused(["serviceGroup: unable to start 'serviceGroup': it ended before it was ready"]))
        #expect(mediator.state == .notRunning)
    }

    @Test func groupThatFailsBeforeItIsReadyRefusesTheLaunch() async throws {
        cue.give()
        try fixture.add(fixture.service("a", .failing(cue)), readiness: ServiceReadiness())

        let report = await fixture.perform(.launch)

        let reason = "serviceGroup: unable to start 'serviceGroup': service 'a': out of luck"
        #expect(report.result == .refused([reason]))
        #expect(fixture.failures.isEmpty)
    }

    @Test func launchRefusedByAnotherListenerShutsTheGroupDown() async throws {
        try fixture.add(fixture.service("a"))
        let refusing = RecordingListener(
            "no", [.didFinishLaunching], behavior: .throwing(LifecycleRefusal("not today")))
        try mediator.addListener(refusing)

        let report = await fixture.perform(.launch)

        #expect(report.result == .refused(["no: not today"]))
        #expect(fixture.journal.lines == ["a runs", "a has shut down"])
    }

    @Test func shutdownIsInReverseOrder() async throws {
        let database = RecordingListener("database", [.willTerminate])
        database.journal = { [journal = fixture.journal] in journal.write($0) }
        try mediator.addListener(database)
        try fixture.add(fixture.service("a"), fixture.service("b"))
        await fixture.perform(.launch)
        await fixture.until { fixture.journal.lines.count == 2 }

        let report = await fixture.perform(.stop)

        #expect(
            fixture.journal.lines.dropFirst(2) == ["b has shut down", "a has shut down", "database willTerminate"])
        #expect(report.notifications.flatMap(\.problems).isEmpty)
        #expect(fixture.failures.isEmpty)
    }

    @Test func overrunCancelsTheGroup() async throws {
        try fixture.add(fixture.service("a", .stubborn))
        await fixture.perform(.launch)

        mediator.perform(.stop) { [fixture] in fixture.ended.append($0) }
        fixture.clock.advance(by: mediator.deadlines.listener)

        let outcomes = fixture.ended.first?.notifications.last?.listeners.map(\.outcome)
        #expect(outcomes == [.overran])
        await fixture.until { fixture.journal.lines.last == "a was cancelled" }
        #expect(fixture.failures.isEmpty)
    }

    @Test func failureOfAnActiveServiceIsReported() async throws {
        try fixture.add(fixture.service("a", .failing(cue)))
        await fixture.perform(.launch)

        cue.give()
        await fixture.until { !fixture.failures.isEmpty }

        let failure = fixture.failures.first as? ServiceFailure
        #expect(failure?.error as? ScriptedService.Failure == ScriptedService.Failure())
        #expect(await fixture.perform(.stop).notifications.last?.problems == [])
        #expect(fixture.failures.count == 1)
    }

    /// `run()` of the group never returns then.
    @Test func failureIsReportedAlthoughAnotherServiceIgnoresItsCancellation() async throws {
        let end = Cue()
        try fixture.add(fixture.service("a", .immovable(end)), fixture.service("b", .failing(cue)))
        await fixture.perform(.launch)

        cue.give()
        await fixture.until { !fixture.failures.isEmpty }

        #expect(fixture.failures.map { "\($0)" } == ["service 'b': out of luck"])
        mediator.perform(.stop) { [fixture] in fixture.ended.append($0) }
        fixture.clock.advance(by: mediator.deadlines.listener)
        #expect(fixture.ended.first?.notifications.last?.listeners.map(\.outcome) == [.overran])
        end.give()
    }

    @Test func failureAtTheStartRefusesTheLaunchAlthoughAnotherServiceIgnoresItsCancellation() async throws {
        let end = Cue()
        cue.give()
        try fixture.add(
            fixture.service("a", .immovable(end)), fixture.service("b", .failing(cue)), readiness: ServiceReadiness())

        var isRefused = false
        let observation = mediator.addObserver(forName: .willTerminate) { _ in isRefused = true }

        mediator.perform(.launch) { [fixture] in fixture.ended.append($0) }
        await fixture.until { isRefused }
        fixture.clock.advance(by: mediator.deadlines.listener)
        await fixture.until { !fixture.ended.isEmpty }

        let reason = "serviceGroup: unable to start 'serviceGroup': service 'b': out of luck"
        #expect(fixture.ended.first?.result == .refused([reason]))
        observation.cancel()
        end.give()
    }

    @Test func groupWhoseServiceMayEndItStopsAlthoughAnotherIgnoresTheShutdown() async throws {
        try fixture.add(fixture.service("a", .stubborn), fixture.service("b", .finishing(cue)))
        await fixture.perform(.launch)

        cue.give()
        await fixture.until { mediator.isStopping }

        fixture.clock.advance(by: mediator.deadlines.listener)
        await fixture.until { mediator.state == .notRunning }
        #expect(fixture.failures.isEmpty)
    }

    @Test func failureThatTheConfigurationIgnoresIsNotReported() async throws {
        cue.give()
        let services = [fixture.service("a"), fixture.service("b", .failing(cue))].map {
            ServiceGroupConfiguration.ServiceConfiguration(service: $0, failureTerminationBehavior: .ignore)
        }
        try fixture.add(ServiceGroupConfiguration(services: services, logger: GroupFixture.quiet))
        await fixture.perform(.launch)

        let report = await fixture.perform(.stop)

        #expect(report.notifications.flatMap(\.problems).isEmpty)
        #expect(fixture.failures.isEmpty)
    }

    @Test func failureDuringTheShutdownIsReported() async throws {
        try fixture.add(fixture.service("a"), fixture.service("b", .failingLate))
        await fixture.perform(.launch)

        let report = await fixture.perform(.stop)

        #expect(report.notifications.last?.problems == ["serviceGroup: service 'b': out of luck"])
        #expect(fixture.failures.map { "\($0)" } == ["service 'b': out of luck"])
        #expect(fixture.journal.lines.last == "a has shut down")
    }

    @Test func serviceThatFinishesUnexpectedlyIsAFailure() async throws {
        let service = ServiceGroupConfiguration.ServiceConfiguration(service: fixture.service("a", .finishing(cue)))
        try fixture.add(ServiceGroupConfiguration(services: [service], logger: GroupFixture.quiet))
        await fixture.perform(.launch)

        cue.give()
        await fixture.until { !fixture.failures.isEmpty }

        let failure = fixture.failures.first as? ServiceFailure
        #expect((failure?.error as? ServiceGroupError)?.errorCode == .serviceFinishedUnexpectedly)
        // Its type, and none of its values.
        #expect(failure?.description.hasPrefix("service 'ScriptedService': ServiceGroupError") == true)
    }

    @Test func finishedGroupStopsTheService() async throws {
        try fixture.add(fixture.service("a"), fixture.service("b", .finishing(cue)))
        var reason: JSONValue?
        let observation = mediator.addObserver(forName: .willTerminate) { reason = $0.userInfo["reason"] }
        await fixture.perform(.launch)

        cue.give()
        await fixture.until { mediator.state == .notRunning }

        #expect(reason == "finished")
        #expect(fixture.failures.isEmpty)
        observation.cancel()
    }

    @Test func groupWithoutServicesDoesNothing() async throws {
        try fixture.add()

        #expect(await fixture.perform(.launch).result == .completed)
        #expect(mediator.state == .active)
    }
}
