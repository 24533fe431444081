// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

@testable import Lifecycle
import LifecycleTesting
import Testing

/// A name uses memory only while it has observers or listeners.
struct RecipientsTests {
    let fixture = MediatorFixture()

    private func name(_ index: Int) throws -> LifecycleNotification.Name {
        try #require(LifecycleNotification.Name("com.example.n\(index)"))
    }

    @Test func namesAreRemovedWithTheirListener() throws {
        let before = fixture.mediator.registry.recipients.count
        let names = try (0..<1000).map(name)
        let first = RecordingListener("first", names)
        let second = RecordingListener("second", Array(names.prefix(10)))
        try fixture.mediator.addListener(first)
        try fixture.mediator.addListener(second)
        #expect(fixture.mediator.registry.recipients.count == before + 1000)

        fixture.mediator.removeListener(first)
        fixture.mediator.post(names[3])

        #expect(fixture.mediator.registry.recipients.count == before + 10)
        #expect(second.received.map(\.name) == [names[3]])
        fixture.mediator.removeListener(second)
        #expect(fixture.mediator.registry.recipients.count == before)
    }

    @Test func namesWithoutRecipientsAreNotStored() throws {
        for index in 0..<1000 { fixture.mediator.post(try name(index)) }

        #expect(fixture.mediator.registry.recipients.count == 0)
    }

    @Test func removingTheLastObserverDuringAPostRemovesTheName() throws {
        var calls = 0
        var observations: [LifecycleObservation] = []
        for index in 0..<100 {
            let observed = try name(index)
            for _ in 0..<2 {
                observations.append(
                    fixture.mediator.addObserver(forName: observed) { _ in
                        calls += 1
                        observations = []
                    })
            }
        }

        fixture.mediator.post(try name(7))

        #expect(calls == 1)
        #expect(fixture.mediator.registry.recipients.count == 0)
    }

    @Test func removingTheLastListenerDuringAPostRemovesTheName() throws {
        let posted = try name(1)
        let listener = RecordingListener("leaving", [posted])
        try fixture.mediator.addListener(listener)
        let observation = fixture.mediator.addObserver { [fixture] _ in fixture.mediator.removeListener(listener) }

        fixture.mediator.post(posted)

        #expect(listener.received.isEmpty)
        #expect(fixture.mediator.registry.recipients.count == 0)
        observation.cancel()
    }

    /// Every name is found after any others were removed.
    @Test(arguments: 1...20)
    func namesAreAddedAndRemovedInAnyOrder(seed: Int) throws {
        var received: Set<Int> = []
        var observations: [Int: LifecycleObservation] = [:]
        var state = UInt64(seed)
        for _ in 0..<2000 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let index = Int(state >> 33) % 100
            if observations.removeValue(forKey: index) == nil {
                observations[index] = fixture.mediator.addObserver(forName: try name(index)) { _ in
                    received.insert(index)
                }
            }
            #expect(fixture.mediator.registry.recipients.count == observations.count)
        }
        for index in 0..<100 { fixture.mediator.post(try name(index)) }

        #expect(received == Set(observations.keys))
    }
}
