// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Lifecycle
import LifecycleTesting
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct DeliveryTests {
    let fixture = MediatorFixture()

    private func add(
        _ name: String, @LifecycleAnswerBuilder _ make: @escaping (ClosureListener) -> [LifecycleAnswer]
    ) throws {
        try fixture.mediator.addListener(ClosureListener(name, make))
    }

    @Test func listenersOfANotificationAreThoseThatAreCalled() throws {
        let mediator = fixture.mediator
        try add("lamp") {
            $0.onAction("light", title: "Light") { _ in }
            $0.onOpenURL { _ in false }
        }
        try add("bell") {
            $0.onAction("ring", title: "Ring") { _ in }
            $0.on(.willResignActive) { _ in }
        }
        try add("horn") {
            $0.on(.willResignActive) { _ in }
            $0.on(.flushRequested) { _ in }
        }
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
            try add(name) {
                $0.onOpenURL { _ in
                    asked.append(name)
                    return opens
                }
            }
        }
        var report: LifecycleReport?

        fixture.mediator.post(.openURL, userInfo: ["url": "x:y", "toAll": true]) { report = $0 }

        #expect(asked == ["declines", "opens", "opens too"])
        #expect(report?.listeners.map(\.outcome) == [.declined, .handled, .handled])
        #expect(report?.handledBy == "opens")
    }

    @Test func actionIsPerformedByTheListenerThatOffersIt() throws {
        var performed: [String] = []
        try add("one") { listener in
            ["rotate", "shrink"].map { id in listener.onAction(id, title: id) { _ in performed.append("one \(id)") } }
        }
        try add("two") {
            $0.onAction("warm", title: "warm up") { _ in performed.append("two warm") }
        }
        var reports: [LifecycleReport] = []

        for action in ["warm", "shrink", "unknown"] {
            fixture.mediator.post(.performAction, userInfo: ["action": .string(action)]) { reports.append($0) }
        }

        #expect(performed == ["two warm", "one shrink"])
        #expect(reports.map(\.handledBy) == ["two", "one", nil])
        #expect(fixture.mediator.actions.map(\.id) == ["rotate", "shrink", "warm"])
        #expect(fixture.mediator.actions.last == LifecycleAction("warm", title: "warm up"))
    }

    @Test func allLaunchVerdictsAreCollected() throws {
        var asked: [String] = []
        for (name, verdict) in [("a", true), ("b", false), ("c", false)] {
            try add(name) {
                $0.on(.didFinishLaunching) { _ in
                    asked.append(name)
                    if !verdict { throw LifecycleRefusal("no") }
                }
            }
        }

        fixture.perform(.launch)

        #expect(asked == ["a", "b", "c"])
        #expect(fixture.ended.first?.result == .refused(["b: no", "c: no"]))
        #expect(fixture.mediator.state == .notRunning)
    }

    @Test func userInfoThatDoesNotFitIsAFailure() throws {
        try add("typed") { $0.onEvent(MemoryWarning.self) { _ in } }
        var report: LifecycleReport?

        fixture.mediator.post(.didReceiveMemoryWarning, userInfo: ["level": 7]) { report = $0 }

        #expect(
            report?.problems == ["typed: user info of 'didReceiveMemoryWarning' does not fit its type, it has level"])
    }

    @Test func onlyFailuresAreToldToAnObserverOfFailures() {
        var failures: [(listener: String, name: LifecycleNotification.Name)] = []
        fixture.listener("good", [.flushRequested, .statusRequested])
        fixture.listener("failing", [.flushRequested], .throwing(LifecycleReloadError(["no"])))
        let observation = fixture.mediator.addEventObserver(for: .listenerFailed) {
            if case .listenerFailed(let report, let notification) = $0 {
                failures.append((report.listener, notification.name))
            }
        }
        defer { observation.cancel() }

        fixture.mediator.post(.flushRequested)
        fixture.mediator.post(.statusRequested)

        #expect(failures.map(\.listener) == ["failing"])
        #expect(failures.map(\.name) == [.flushRequested])
    }
}
