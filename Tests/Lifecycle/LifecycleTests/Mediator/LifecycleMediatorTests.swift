// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Lifecycle
import LifecycleTesting
import Testing

@Suite(.timeLimit(.minutes(1)))
struct LifecycleMediatorTests {
    let fixture = MediatorFixture()
    let ping = LifecycleNotification.Name("ping")!

    @Test func observationEndsWhenDropped() {
        var received = 0
        var observation: LifecycleObservation? = fixture.mediator.addObserver(forName: ping) { _ in received += 1 }
        fixture.mediator.post(ping)
        #expect(observation != nil)

        observation = nil
        fixture.mediator.post(ping)

        #expect(received == 1)
    }

    @Test func endOfAnObservationMayEndAnother() {
        final class Owner { var observation: LifecycleObservation? }
        var owner: Owner? = Owner()
        var received = 0
        owner?.observation = fixture.mediator.addObserver(forName: ping) { _ in received += 1 }
        let first = fixture.mediator.addObserver(forName: ping) { [owner] _ in received += owner == nil ? 0 : 1 }
        owner = nil
        fixture.mediator.post(ping)

        first.cancel()
        fixture.mediator.post(ping)

        #expect(received == 2)
    }

    @Test func manyObserversComeAndGo() {
        var received = 0
        var kept: [LifecycleObservation] = []
        for number in 0..<1000 {
            let observation = fixture.mediator.addObserver(forName: ping) { _ in received += 1 }
            if number.isMultiple(of: 10) { kept.append(observation) } else { observation.cancel() }
        }

        fixture.mediator.post(ping)

        #expect(received == kept.count)
        #expect(kept.count == 100)
    }

    @Test func lastingObservationGoesOnWhenItIsReleased() {
        var received = 0
        var observation: LifecycleObservation? = fixture.mediator.addObserver(forName: ping) { _ in received += 1 }
            .lasting()
        let other = fixture.mediator.addObserver(forName: ping) { _ in received += 10 }.lasting()
        _ = observation

        observation = nil
        other.cancel()
        fixture.mediator.post(ping)

        #expect(received == 1)
    }

    @Test func pendingTransitionsAreListedInTheirOrder() {
        let slow = fixture.listener("slow", [.willResignActive], .stubborn)
        #expect(fixture.mediator.pendingTransitions.isEmpty)

        fixture.perform(.launch, .pause, .reload, .resume, .pause)
        let all = fixture.mediator.pendingTransitions
        fixture.perform(.stop)
        let last = fixture.mediator.pendingTransitions

        #expect(all.map(\.trigger) == [.pause, .reload, .resume, .pause])
        #expect(all.map(\.isUnderWay) == [true, false, false, false])
        #expect(last.map(\.trigger) == [.pause, .stop])
        #expect(last.map(\.origin) == [.service, .service])
        for _ in 0..<20 { fixture.perform(.resume, .pause) }
        #expect(fixture.mediator.pendingTransitions.count <= 16)
        slow.finish()
    }

    @Test(arguments: [("a", true), ("A.b-9", true), ("", false), ("9a", false), ("a b", false), ("ä", false)])
    func namesAreChecked(text: String, isName: Bool) {
        #expect((LifecycleNotification.Name(text) != nil) == isName)
    }
}
