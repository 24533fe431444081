// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryListeners
import BelfrySystemd
import Lifecycle
import LifecycleTesting
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct RestorationListenerTests {
    /// Counts its launches, and records when its state comes.
    final class Counter: RestorableListener {
        nonisolated struct State: Codable, Sendable { var launches: Int }

        let name: String
        let restorationIdentifier: String
        private(set) var calls: [String] = []
        private(set) var launches = 0
        private let hangs: Bool

        init(_ name: String, hangs: Bool = false) {
            (self.name, restorationIdentifier, self.hangs) = (name, name, hangs)
        }

        var answers: [LifecycleAnswer] {
            onCompletion(.willFinishLaunching) { [self] _, completion in
                calls.append("will \(launches)")
                if !hangs { completion(.success(())) }
                return {}
            }
            on(.didFinishLaunching) { [self] _ in
                calls.append("did \(launches)")
                launches += 1
            }
        }

        func encodeRestorableState() -> State { State(launches: launches) }
        func decodeRestorableState(_ state: State) {
            launches = state.launches
            calls.append("restored")
        }
    }

    private let directory = try! TemporaryDirectory()  // Without it, no test can do anything.
    private let log = ServiceLog { _ in RecordingWriter() }

    private func service(primary: Counter? = nil, _ listeners: Counter...) throws -> LifecycleScript {
        let script = LifecycleScript()
        let restoration = RestorationListener(mediator: script.mediator, path: directory.path("state"), log: log)
        try script.mediator.addListener(restoration)
        if let primary { try script.mediator.addPrimaryListener(primary) }
        for listener in listeners { try script.mediator.addListener(listener) }
        return script
    }

    @Test func stateComesBetweenTheTwoNotificationsOfALaunchAlsoForThePrimaryListener() async throws {
        await (try service(primary: Counter("primary"), Counter("other"))).run(.perform(.launch), .perform(.stop))
        let (primary, other) = (Counter("primary"), Counter("other"))

        let script = try service(primary: primary, other)
        await script.run(.perform(.launch))

        #expect(primary.calls == ["will 0", "restored", "did 1"])
        #expect(other.calls == ["will 0", "restored", "did 1"])
        #expect(
            script.notificationNames == [
                "willFinishLaunching", "didFinishLaunching", "didDecodeRestorableState", "didBecomeActive",
            ])
    }

    @Test func stateIsKeptByALaunchThatEndsBeforeItIsRestored() async throws {
        await (try service(Counter("one"))).run(.perform(.launch), .perform(.stop))

        // The stop does not wait for the listener, so the launch never comes to the restoration.
        let hanging = try service(Counter("one", hangs: true))
        await hanging.run(.perform(.launch), .perform(.stop), .advance(.seconds(120)))
        #expect(hanging.notificationNames == ["willFinishLaunching", "didEnterBackground", "willTerminate"])

        let last = Counter("one")
        await (try service(last)).run(.perform(.launch))
        #expect(last.launches == 2)
    }

    @Test func twoListenersWithOneIdentifierRefuseTheLaunch() async throws {
        let script = LifecycleScript()
        try script.mediator.addListener(
            RestorationListener(mediator: script.mediator, path: directory.path("state"), log: log))
        try script.mediator.addListener(Counter("twin"))
        try script.mediator.addListener(try CompositeListener("group", clock: script.clock, [Counter("twin")]))

        await script.run(.perform(.launch))

        #expect(script.mediator.state == .notRunning)
        #expect(script.notificationNames == ["willFinishLaunching", "willTerminate"])
    }
}
