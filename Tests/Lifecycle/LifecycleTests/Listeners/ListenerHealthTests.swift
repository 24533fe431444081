// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Lifecycle
import LifecycleTesting
import TestSupport
import Testing

struct ListenerHealthTests {
    let fixture = MediatorFixture()
    let frail = ClosureListener("frail")
    let recorder = Recorder()

    final class Recorder { var received: [[ListenerHealthReport]] = [] }

    init() throws {
        fixture.listener("sturdy")
        try fixture.mediator.addListener(frail)
        fixture.observe { [recorder] in
            if case .healthChanged(let unhealthy) = $0 { recorder.received.append(unhealthy) }
        }
    }

    @Test func healthyListenersAreNotReported() {
        #expect(fixture.mediator.checkHealth() == [])
        #expect(recorder.received.isEmpty)
    }

    @Test func healthChangesAreReportedOnce() {
        frail.health = .unhealthy("no disk")
        for _ in 0..<3 { fixture.mediator.checkHealth() }
        frail.health = .lost("no disk")
        fixture.mediator.checkHealth()
        frail.health = .healthy
        fixture.mediator.checkHealth()

        #expect(recorder.received.map { $0.map(\.listener) } == [["frail"], ["frail"], []])
        #expect(recorder.received.map { $0.map(\.health.kind) } == [["unhealthy"], ["lost"], []])
    }

    @Test func theHealthOfAListenerThatIsRemovedIsForgotten() {
        frail.health = .degraded("no disk")
        fixture.mediator.checkHealth()

        fixture.mediator.removeListener(frail)

        #expect(recorder.received.map { $0.map(\.listener) } == [["frail"], []])
    }

    @Test func statusHasTheHealth() {
        frail.health = .unhealthy("no disk")

        #expect(fixture.mediator.listeners.map(\.health) == [.healthy, .unhealthy("no disk")])
    }

    @Test func compositeHasTheHealthOfItsWorstLeaf() throws {
        let other = ClosureListener("other")
        let composite = try CompositeListener("tree", clock: fixture.clock, [frail, other])
        #expect(composite.health == .healthy)

        other.health = .unhealthy("slow")
        #expect(composite.health == .unhealthy("other: slow"))
        frail.health = .lost("gone")
        #expect(composite.health == .lost("frail: gone; other: slow"))
    }
}
