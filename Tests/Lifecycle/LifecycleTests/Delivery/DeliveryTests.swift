// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Lifecycle
import LifecycleTesting
import Testing

@Suite(.timeLimit(.minutes(1)))
struct DeliveryTests {
    /// A listener made of a closure.
    final class Answering: LifecycleListener {
        let name: String
        let rank: Int?
        private let make: (Answering) -> [LifecycleAnswer]

        init(_ name: String, rank: Int? = nil, _ make: @escaping (Answering) -> [LifecycleAnswer]) {
            self.name = name
            self.rank = rank
            self.make = make
        }

        var answers: [LifecycleAnswer] { make(self) }
    }

    let fixture = MediatorFixture()

    private func add(_ name: String, rank: Int? = nil, _ make: @escaping (Answering) -> [LifecycleAnswer]) throws {
        try fixture.mediator.addListener(Answering(name, rank: rank, make))
    }

    @Test func listenersOfANotificationAreThoseThatAreCalled() throws {
        let mediator = fixture.mediator
        try add("lamp") { [$0.onAction("light", title: "Light") { _ in }, $0.onOpenURL { _ in false }] }
        try add("bell") { [$0.onAction("ring", title: "Ring") { _ in }, $0.on(.willResignActive) { _ in }] }
        try add("horn") { [$0.on(.willResignActive) { _ in }, $0.on(.flushRequested) { _ in }] }
        var named: [String: [String]] = [:]
        let observer = mediator.addObserver { [unowned mediator] in
            named[$0.name.rawValue] = mediator.listeners(answering: $0)
        }
        defer { observer.cancel() }

        mediator.perform(.launch)
        mediator.perform(.pause)
        mediator.post(.performAction, userInfo: ["action": "light"])
        mediator.post(.openURL, userInfo: ["url": "x:"])

        #expect(named["willResignActive"] == ["horn", "bell"] && named["didEnterBackground"] == [])
        #expect(named["performAction"] == ["lamp"] && named["openURL"] == [])
    }

    @Test func everyListenerIsAskedToOpenAURLThatIsForAll() throws {
        var asked: [String] = []
        for (name, opens) in [("declines", false), ("opens", true), ("opens too", true)] {
            try add(name) { listener in
                [
                    listener.onOpenURL { _ in
                        asked.append(name)
                        return opens
                    }
                ]
            }
        }
        var report: LifecycleReport?

        fixture.mediator.post(.openURL, userInfo: ["url": "x:y", "toAll": true]) { report = $0 }

        #expect(asked == ["declines", "opens", "opens too"])
        #expect(report?.listeners.map(\.outcome) == [.declined, .handled, .handled])
        #expect(report?.handledBy == "opens")
    }

    @Test func listenersAreCalledThoughAnAnswerEndsTheCallsBeforeThem() throws {
        let mediator = fixture.mediator
        let first = fixture.listener("first", [.didEnterBackground])
        try add("hanging", rank: 1) { [$0.onCompletion(.didEnterBackground) { _, _ in {} }] }
        try add("cutting", rank: 1) { [$0.on(.didEnterBackground) { [unowned mediator] _ in mediator.perform(.stop) }] }
        fixture.perform(.launch, .stop)

        #expect(fixture.ended.last?.trigger == .stop && mediator.state == .notRunning)
        #expect(first.received.map(\.name) == [.didEnterBackground])
    }

    @Test func actionIsPerformedByTheListenerThatOffersIt() throws {
        var performed: [String] = []
        try add("one") { listener in
            ["rotate", "shrink"].map { id in listener.onAction(id, title: id) { _ in performed.append("one \(id)") } }
        }
        try add("two") {
            [
                $0.onAction("warm", title: "warm up", subtitle: "slow", userInfo: ["icon": "fire"]) { _ in
                    performed.append("two warm")
                }
            ]
        }
        var reports: [LifecycleReport] = []

        for action in ["warm", "shrink", "unknown"] {
            fixture.mediator.post(.performAction, userInfo: ["action": .string(action)]) { reports.append($0) }
        }

        #expect(performed == ["two warm", "one shrink"])
        #expect(reports.map(\.handledBy) == ["two", "one", nil])
        #expect(fixture.mediator.actions.map(\.id) == ["rotate", "shrink", "warm"])
        #expect(
            fixture.mediator.actions.last
                == LifecycleAction("warm", title: "warm up", subtitle: "slow", userInfo: ["icon": "fire"]))
    }

    @Test func allLaunchVerdictsAreCollected() throws {
        var asked: [String] = []
        for (name, verdict) in [("a", true), ("b", false), ("c", false)] {
            try add(name) {
                [
                    $0.onLaunch { _ in
                        asked.append(name)
                        return verdict
                    }
                ]
            }
        }

        fixture.perform(.launch)

        #expect(asked == ["a", "b", "c"])
        #expect(fixture.ended.first?.result == .refused(["b: verdict false", "c: verdict false"]))
        #expect(fixture.mediator.state == .notRunning)
    }

    @Test func primaryIsCalledFirstUpAndLastDown() throws {
        fixture.listener("other", [.didBecomeActive, .willResignActive])
        let primary = RecordingListener("primary", [.didBecomeActive, .willResignActive])
        primary.journal = { [fixture] in fixture.calls.append($0) }
        try fixture.mediator.addPrimaryListener(primary)

        fixture.perform(.launch, .interrupt)

        #expect(
            fixture.calls == [
                "primary didBecomeActive", "other didBecomeActive", "other willResignActive",
                "primary willResignActive",
            ])
        #expect(throws: ListenerOrderError.primaries(["primary", "another"])) {
            try fixture.mediator.addPrimaryListener(RecordingListener("another"))
        }
        #expect(fixture.mediator.listeners.map(\.name) == ["primary", "other"])
    }

    @Test func typedEventsAreEncodedAsUserInfo() throws {
        var received: [Suspension] = []
        let observation = fixture.mediator.addObserver(of: Suspension.self) { received.append($0) }
        let suspension = Suspension(.freezer, duration: .milliseconds(1500))

        fixture.mediator.perform(.launch)
        fixture.mediator.perform(.endSuspension, userInfo: suspension.userInfo)

        #expect(received == [suspension])
        observation.cancel()
    }

    @Test func userInfoThatDoesNotFitIsAFailure() throws {
        try add("typed") { [$0.onEvent(MemoryWarning.self) { _ in }] }
        var report: LifecycleReport?

        fixture.mediator.post(.didReceiveMemoryWarning, userInfo: ["level": 7]) { report = $0 }

        #expect(
            report?.problems == ["typed: user info of 'didReceiveMemoryWarning' does not fit its type, it has level"])
    }
}

struct FailureEventTests {
    private final class Good: LifecycleListener {
        let name = "good"

        var answers: [LifecycleAnswer] { on(.flushRequested) { _ in } }
    }

    /// Fails at `flushRequested`.
    private final class Failing: LifecycleListener {
        struct Failure: Error {}

        let name = "failing"

        var answers: [LifecycleAnswer] { on(.flushRequested) { _ in throw Failure() } }
    }

    private let mediator = LifecycleMediator(clock: ManualClock())

    @Test func onlyFailuresAreToldToAnObserverOfFailures() throws {
        var failures: [(listener: String, name: LifecycleNotification.Name)] = []
        try mediator.addListener(Good())
        try mediator.addListener(Failing())
        let observation = mediator.addEventObserver(for: .listenerFailed) {
            if case .listenerFailed(let report, let notification) = $0 {
                failures.append((report.listener, notification.name))
            }
        }
        defer { observation.cancel() }

        mediator.post(.flushRequested)
        mediator.post(.statusRequested)

        #expect(failures.map(\.listener) == ["failing"])
        #expect(failures.map(\.name) == [.flushRequested])
    }
}
