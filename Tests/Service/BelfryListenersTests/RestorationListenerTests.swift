// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryLinux
import BelfryListeners
import BelfrySystemd
import Glibc
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
        var launches = 0
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

    private func service(
        primary: Counter? = nil, _ listeners: Counter..., interval: Duration? = .seconds(30)
    ) throws -> LifecycleScript {
        let script = LifecycleScript()
        let restoration = RestorationListener(
            mediator: script.mediator, path: directory.path("state"), interval: { interval }, log: log)
        try script.mediator.addListener(restoration)
        if let primary { try script.mediator.addPrimaryListener(primary) }
        for listener in listeners { try script.mediator.addListener(listener) }
        return script
    }

    /// Launches and stops. The state is written on a thread of its own.
    private func stop(_ script: LifecycleScript) async {
        await script.run(.perform(.launch), .perform(.stop))
        while script.mediator.isInTransition, !Task.isCancelled { await Task.yield() }
    }

    /// Waits until a crash would leave this state of a listener `one`.
    private func untilStored(_ launches: Int) async throws {
        let file = StateFile(path: directory.path("state"), limit: RestorationArchive.longest)
        while !Task.isCancelled {
            if let bytes = try file.read(),
                try RestorationArchive(bytes: bytes)["one"]?.value == ["launches": .int(Int64(launches))]
            {
                return
            }
            await Task.yield()
        }
    }

    @Test func changedStateIsStoredWhileTheServiceRuns() async throws {
        let one = Counter("one")
        let script = try service(one, Counter("two"))
        await script.run(.perform(.launch))
        #expect(script.clock.pendingTimers == 0)

        for _ in 0..<3 { script.mediator.restorableStateChanged(of: one) }
        #expect(script.clock.pendingTimers == 1)
        await script.run(.advance(.seconds(29)))
        #expect(access(directory.path("state"), F_OK) != 0)
        await script.run(.advance(.seconds(1)))
        try await untilStored(1)

        // Nothing is announced, and without a change nothing wakes up.
        #expect(!script.notificationNames.contains("willEncodeRestorableState") && script.clock.pendingTimers == 0)
        let (next, other) = (Counter("one"), Counter("two"))
        await (try service(next, other)).run(.perform(.launch))
        #expect(next.launches == 2 && other.launches == 1)
    }

    @Test func changesOfAWriteAreWrittenAfterIt() async throws {
        let one = Counter("one")
        let script = try service(one)
        await script.run(.perform(.launch))

        // Each write begins before the one before it has ended; the pause is the last.
        for launches in 1...20 {
            one.launches = launches
            script.mediator.restorableStateChanged(of: one)
            script.clock.advance(by: .seconds(30))
        }
        one.launches = 21
        await script.run(.perform(.pause))
        while script.mediator.isInTransition, !Task.isCancelled { await Task.yield() }

        try await untilStored(21)
        let next = Counter("one")
        await (try service(next)).run(.perform(.launch))
        #expect(next.launches == 22)
    }

    @Test func stopThatIsCutShortStoresTheState() async throws {
        let one = Counter("one")
        let script = try service(one)
        await script.run(.perform(.launch))
        one.launches = 7

        // The second request comes before the write that the first has begun can have ended.
        script.mediator.perform(.stop) { _ in }
        script.mediator.perform(.stop) { _ in }
        #expect(!script.mediator.isInTransition)

        let next = Counter("one")
        await (try service(next)).run(.perform(.launch))
        #expect(next.launches == 8)
    }

    @Test(arguments: [Duration.seconds(30), nil])
    func whatHasChangedInAPauseIsStoredAtAStop(interval: Duration?) async throws {
        let one = Counter("one")
        let script = try service(one, interval: interval)
        await script.run(.perform(.launch), .perform(.pause))
        while script.mediator.isInTransition, !Task.isCancelled { await Task.yield() }

        one.launches = 7
        script.mediator.restorableStateChanged(of: one)
        await script.run(.perform(.stop))
        while script.mediator.isInTransition, !Task.isCancelled { await Task.yield() }

        try await untilStored(7)
        #expect(script.clock.pendingTimers == 0)
    }

    @Test func infinityStoresOnlyAtAPauseAndAStop() async throws {
        let one = Counter("one")
        let script = try service(one, interval: nil)
        await script.run(.perform(.launch))

        script.mediator.restorableStateChanged(of: one)

        #expect(script.clock.pendingTimers == 0)
    }

    @Test func stateThatNobodyHasSurvives() async throws {
        await stop(try service(Counter("one"), Counter("two")))
        await stop(try service(Counter("two")))

        let (one, two) = (Counter("one"), Counter("two"))
        await (try service(one, two)).run(.perform(.launch))
        #expect(one.launches == 2 && two.launches == 3)
    }

    @Test func serviceWithoutStateIsNotCalledAtAPause() async throws {
        let script = try service()
        await script.run(.perform(.launch), .perform(.pause))

        #expect(!script.reports.contains { $0.notification.name == .didEnterBackground })
        #expect(access(directory.path("state"), F_OK) != 0)
    }

    @Test func stateComesBetweenTheTwoNotificationsOfALaunchAlsoForThePrimaryListener() async throws {
        await stop(try service(primary: Counter("primary"), Counter("other")))
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
        await stop(try service(Counter("one")))

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
            RestorationListener(mediator: script.mediator, path: directory.path("state"), interval: { nil }, log: log))
        try script.mediator.addListener(Counter("twin"))
        try script.mediator.addListener(try CompositeListener("group", clock: script.clock, [Counter("twin")]))

        await script.run(.perform(.launch))

        #expect(script.mediator.state == .notRunning)
        #expect(script.notificationNames == ["willFinishLaunching", "willTerminate"])
    }
}
