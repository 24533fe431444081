// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Lifecycle
import LifecycleTesting
import Testing

struct LifecyclePlanTests {
    let fixture = MediatorFixture(deadlines: LifecycleDeadlines(listener: .seconds(2), stop: .seconds(8)))

    init() {
        fixture.listener("first", [.willTerminate], deadline: .seconds(4), .waiting)
        fixture.listener("second", [.willTerminate], deadline: .seconds(4), .waiting)
        fixture.perform(.launch)
    }

    @Test func planHasOrderDeadlinesAndWhetherItFits() {
        let plan = fixture.mediator.plan(for: .stop)

        #expect(plan.steps.map(\.name) == [.willResignActive, .didEnterBackground, .willTerminate])
        #expect(plan.steps.last?.groups.map { $0.map(\.listener) } == [["second"], ["first"]])
        #expect(plan.steps.last?.groups.joined().map(\.deadline) == [.seconds(4), .seconds(4)])
        #expect(plan.longest == .seconds(8))
        #expect(plan.limit == .seconds(8))
        #expect(plan.fits)
    }

    @Test func planThatDoesNotFitHasTheShares() {
        fixture.mediator.deadlines.stop = .seconds(6)
        let task = fixture.mediator.beginBackgroundTask(named: "upload", deadline: .seconds(4))
        let plan = fixture.mediator.plan(for: .stop)

        #expect(plan.tasks.map(\.name) == ["upload"] && plan.tasks.map(\.remaining) == [.seconds(2)])
        #expect(plan.longest == .seconds(12))
        #expect(!plan.fits)
        #expect(plan.steps.last?.groups.joined().map(\.share) == [.seconds(2), .seconds(2)])
        task.end()
    }

    @Test func callThatDoesNothingDoesNotCount() {
        let plan = fixture.mediator.plan(for: .stop).without { $0 == .willTerminate && $1.listener == "second" }

        #expect(plan.steps.map(\.name) == [.willResignActive, .didEnterBackground, .willTerminate])
        #expect(plan.steps.last?.groups.joined().map(\.listener) == ["first"])
        #expect(plan.longest == .seconds(4) && plan.limit == .seconds(8))
    }

    @Test func postHasNoLimit() {
        let plan = fixture.mediator.plan(forPosting: .flushRequested)

        #expect(plan.limit == nil && plan.fits && plan.longest == .zero)
        #expect(plan.steps.map(\.name) == [.flushRequested])
    }

    @Test func planOfATriggerWithoutEffectIsEmpty() {
        #expect(fixture.mediator.plan(for: .resume).steps.isEmpty)
    }
}
