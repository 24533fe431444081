// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import LifecycleTesting
import Testing

@testable import Lifecycle

@MainActor struct ListenerWorkTests {
    /// Each form of an answer, also those of which an overload by return type would be ambiguous.
    private final class Worker: LifecycleListener {
        let name = "worker"
        var isBusy = true

        var answers: [LifecycleAnswer] {
            on(.didBecomeActive) { [self] _ in isBusy ? "played" : nil }
            on(.willResignActive) { _ in WorkSummary("stopped", details: ["frame": 203]) }
            on(.didEnterBackground) { _ in throw LifecycleRefusal("never") }
            on(.willEnterForeground) { _ in }
            on(.flushRequested) { notification -> String? in
                if notification.userInfo.isEmpty { return nil }
                return "flushed"
            }
            on(.statusRequested, deadline: .seconds(1)) { _ in
                await Task.yield()
                return "told"
            }
            on(.didWake) { _, progress in
                progress.report("awake")
                await Task.yield()
                return "awake"
            }
            onEvent(MemoryWarning.self) { "gave back \($0.level)" }
            onEvent(TimeChange.self) { (_) async in WorkSummary("set") }
            onAction("rotate", title: "Rotate") { _ in "rotated" }
            onAction("nothing", title: "Nothing") { _ in }
        }
    }

    private let fixture = MediatorFixture()
    private let worker = Worker()

    private func works(_ body: (LifecycleMediator) async -> LifecycleReport) async throws -> [WorkSummary?] {
        try fixture.mediator.addListener(worker)
        return await body(fixture.mediator).listeners.map(\.work)
    }

    private nonisolated static let forms: [(LifecycleNotification.Name, UserInfo, String?)] = [
        (.flushRequested, ["all": true], "flushed"),
        (.flushRequested, [:], nil), (.statusRequested, [:], "told"), (.didWake, [:], "awake"),
        (.didReceiveMemoryWarning, ["level": "full"], "gave back full"),
        (.significantTimeChange, ["cause": "clock", "stepUsec": 1], "set"),
        (.performAction, ["action": "rotate"], "rotated"), (.performAction, ["action": "nothing"], nil),
    ]

    @Test(arguments: forms)
    func everyFormOfAnAnswerSaysWhatWasDone(name: LifecycleNotification.Name, info: UserInfo, text: String?)
        async throws
    {
        let works = try await works { await $0.post(name, userInfo: info) }

        #expect(works == [text.map { WorkSummary($0) }])
    }

    @Test func transitionsReportItInOrder() async throws {
        try fixture.mediator.addListener(worker)
        var told: [String] = []
        let observation = fixture.mediator.addEventObserver(for: .listenerWorked) {
            if case .listenerWorked(let report, let notification) = $0 {
                told.append("\(notification.name.rawValue) \(report.work?.text ?? "")")
            }
        }
        defer { observation.cancel() }

        await fixture.mediator.perform(.launch)
        let pause = await fixture.mediator.perform(.pause)
        worker.isBusy = false
        await fixture.mediator.perform(.resume)

        #expect(told == ["didBecomeActive played", "willResignActive stopped"])
        #expect(pause.notifications.flatMap(\.listeners).compactMap(\.work?.details) == [["frame": 203]])
        #expect(fixture.mediator.listeners.first?.record.lastWork == "stopped")
    }

    /// It is told when the listener has answered, whatever those after it do.
    @Test func itIsToldBeforeTheNextListenerHasAnswered() throws {
        try fixture.mediator.addListener(worker)
        try fixture.mediator.addListener(
            RecordingListener("late", [.didReceiveMemoryWarning], deadline: .seconds(3), behavior: .waiting))
        var told: [String] = []
        let observation = fixture.mediator.addEventObserver(for: .listenerWorked) {
            if case .listenerWorked(let report, _) = $0 { told.append(report.work?.text ?? "") }
        }
        defer { observation.cancel() }

        fixture.mediator.post(.didReceiveMemoryWarning)

        #expect(told == ["gave back some"])
    }

    @Test func compositeNamesItsLeaves() async throws {
        let composite = try CompositeListener("media", clock: fixture.clock, [worker])
        try fixture.mediator.addListener(composite)

        let report = await fixture.mediator.perform(.launch)
        let pause = await fixture.mediator.perform(.pause)

        #expect(report.notifications.flatMap(\.listeners).compactMap(\.work?.text) == ["worker: played"])
        #expect(
            pause.notifications.flatMap(\.listeners).compactMap(\.work)
                == [WorkSummary("worker: stopped", details: ["worker": ["frame": 203]])])
    }

    @Test func itIsBoundedWhereItIsMade() {
        let deep = (0..<5000).reduce(JSONValue.null) { value, _ in [value] }

        #expect(WorkSummary(String(repeating: "é", count: 1000)).text == String(repeating: "é", count: 256) + "…")
        #expect(WorkSummary("x", details: ["a": deep]).details == ["tooLong": true])
        #expect(
            WorkSummary("x", details: ["a": .string(String(repeating: "x", count: 64 << 10))]).details == [
                "tooLong": true
            ])
        #expect(WorkSummary("x", details: ["a": [1, "b", ["c": .null]]]).details == ["a": [1, "b", ["c": .null]]])
    }
}
