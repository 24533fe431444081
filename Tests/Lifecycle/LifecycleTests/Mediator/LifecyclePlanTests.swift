// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Lifecycle
import LifecycleTesting
import Testing

struct LifecyclePlanTests {
    /// Has dry runs of a stop and of a reload.
    final class CarefulListener: LifecycleListener {
        let name = "careful"
        var rehearsed: [LifecycleNotification] = []
        var objection: String?

        var answers: [LifecycleAnswer] {
            on(.willTerminate, deadline: .seconds(4)) { _ in Issue.record("not a rehearsal") }
                .rehearsing { [self] in try rehearse($0) }
            on(.willReload) { _ in Issue.record("not a rehearsal") }.rehearsing { [self] in try rehearse($0) }
        }

        private func rehearse(_ notification: LifecycleNotification) throws {
            rehearsed.append(notification)
            if let objection { throw LifecycleRefusal(objection) }
        }
    }

    let fixture = MediatorFixture(deadlines: LifecycleDeadlines(listener: .seconds(2), stop: .seconds(8)))
    let careful = CarefulListener()

    init() throws {
        fixture.listener("first", [.willTerminate], deadline: .seconds(4), .waiting)
        try fixture.mediator.addListener(careful)
        fixture.perform(.launch)
    }

    /// Its answers check and change nothing.
    final class CheckingListener: LifecycleListener {
        let name = "checking"
        var objection: String?
        private(set) var asked: [Bool] = []

        var answers: [LifecycleAnswer] {
            on(.willReload) { [self] in try check($0) }.rehearsable()
            on(.willTerminate, deadline: .seconds(1)) { [self] in
                await Task.yield()
                try check($0)
            }.rehearsable()
        }

        private func check(_ notification: LifecycleNotification) throws {
            asked.append(notification.userInfo["rehearsal"] == true)
            if let objection { throw LifecycleRefusal(objection) }
        }
    }

    @Test func rehearsableAnswerIsItsOwnDryRun() async throws {
        let fixture = MediatorFixture()
        let checking = CheckingListener()
        try fixture.mediator.addListener(checking)
        fixture.perform(.launch)
        var reports: [RehearsalReport] = []

        fixture.mediator.rehearse(.reload) { reports.append($0) }
        checking.objection = "no camera"
        fixture.mediator.rehearse(.reload) { reports.append($0) }
        checking.objection = nil
        fixture.perform(.reload)
        fixture.mediator.rehearse(.stop) { reports.append($0) }
        await fixture.until { reports.count == 3 }

        #expect(checking.asked == [true, true, false, true])
        #expect(reports.map(\.reasons) == [[], ["checking: no camera"], []])
        #expect(reports.allSatisfy { !$0.unasked.contains("checking") })
    }

    @Test func planHasOrderDeadlinesAndWhetherItFits() {
        let plan = fixture.mediator.plan(for: .stop)

        #expect(plan.steps.map(\.name) == [.willResignActive, .didEnterBackground, .willTerminate])
        #expect(plan.steps.last?.groups.map { $0.map(\.listener) } == [["careful"], ["first"]])
        #expect(plan.steps.last?.groups.joined().map(\.deadline) == [.seconds(4), .seconds(4)])
        #expect(plan.steps.last?.groups.joined().map(\.rehearses) == [true, false])
        #expect(plan.longest == .seconds(8))
        #expect(plan.limit == .seconds(8))
        #expect(plan.fits)
    }

    @Test func planThatDoesNotFitHasTheShares() {
        fixture.mediator.deadlines.stop = .seconds(6)
        let task = fixture.mediator.beginBackgroundTask(named: "upload", deadline: .seconds(4))
        let plan = fixture.mediator.plan(for: .stop)

        #expect(plan.tasks.map(\.name) == ["upload"] && plan.tasks.map(\.remaining) == [.seconds(4)])
        #expect(plan.longest == .seconds(12))
        #expect(!plan.fits)
        #expect(plan.steps.last?.groups.joined().map(\.share) == [.seconds(2), .seconds(2)])
        task.end()
    }

    @Test func postHasNoLimit() {
        let plan = fixture.mediator.plan(forPosting: .flushRequested)

        #expect(plan.limit == nil && plan.fits && plan.longest == .zero)
        #expect(plan.steps.map(\.name) == [.flushRequested])
    }

    @Test func planOfATriggerWithoutEffectIsEmpty() {
        #expect(fixture.mediator.plan(for: .resume).steps.isEmpty)
    }

    @Test func rehearsalCallsDryRunsOnly() {
        let before = fixture.mediator.lastSequence
        var report: RehearsalReport?

        fixture.mediator.rehearse(.stop) { report = $0 }

        #expect(careful.rehearsed.map(\.name) == [.willTerminate])
        #expect(careful.rehearsed.first?.userInfo["rehearsal"] == true)
        #expect(report?.steps.map(\.name) == [.willResignActive, .didEnterBackground, .willTerminate])
        #expect(report?.steps.last?.listeners.map(\.listener) == ["careful"])
        #expect(report?.steps.last?.skipped == ["first"])
        #expect(report?.reasons == [])
        #expect(fixture.mediator.state == .active)
        #expect(fixture.mediator.lastSequence == before)
        #expect(fixture.mediator.listeners.map(\.record.calls) == [0, 0])
    }

    @Test func rehearsalReportsProblems() {
        careful.objection = "port taken"
        var report: RehearsalReport?

        fixture.mediator.rehearse(.reload) { report = $0 }

        #expect(report?.reasons == ["careful: port taken"])
        #expect(report?.steps.map(\.name) == [.willReload])
        #expect(fixture.ended.count == 1)
    }

    @Test func rehearsedReloadReadsTheConfiguration() {
        fixture.mediator.readConfiguration = { throw LifecycleReloadError(["line 7"]) }
        var report: RehearsalReport?

        fixture.mediator.rehearse(.reload) { report = $0 }

        #expect(report?.reasons == ["line 7"])
        #expect(report?.steps.isEmpty == true)
        #expect(careful.rehearsed.isEmpty)
    }

    @Test func leavesOfACompositeRehearse() throws {
        let fixture = MediatorFixture()
        try fixture.mediator.addListener(CompositeListener("tree", clock: fixture.clock, [careful]))
        fixture.perform(.launch)
        careful.objection = "no"
        var report: RehearsalReport?

        fixture.mediator.rehearse(.reload) { report = $0 }

        #expect(report?.reasons == ["tree: careful: no"])
    }
}
