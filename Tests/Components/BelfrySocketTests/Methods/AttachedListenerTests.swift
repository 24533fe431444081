// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryConfiguration
import BelfryEventLoop
import Lifecycle
import BelfryListeners
import BelfrySocket
import LifecycleTesting
import TestSupport
import Testing
import Varlink

@Suite(.timeLimit(.minutes(1)))
struct AttachedListenerTests {
    let fixture: SocketFixture

    init() throws { fixture = try SocketFixture() }

    @Test func attachedListenerGetsAPostAndItsOutcomeIsReported() throws {
        let attached = try fixture.attach(["com.example.rotate"])
        #expect(attached.replies == [[:]])
        var report: LifecycleReport?

        fixture.mediator.post(try #require(LifecycleNotification.Name("com.example.rotate")), userInfo: ["key": 7]) {
            report = $0
        }
        try fixture.turn { attached.replies.count == 2 }
        let question = attached.replies.last
        #expect(question?["notification"]?["name"] == "com.example.rotate")
        #expect(question?["notification"]?["userInfo"] == ["key": 7])
        #expect(report == nil)
        #expect(try fixture.answer(attached, 1, "newData") == .success([:]))

        #expect(report?.listeners.map(\.listener) == ["guard"])
        #expect(report?.listeners.map(\.outcome) == [.fetched(.newData)])
        #expect(try fixture.answer(attached, 1, "newData") == .failure(unknown(question)))
    }

    @Test func waitingPostGetsTheOutcomeOfEachListener() throws {
        let failing = try fixture.attach(["com.example.rotate"])
        let silent = try fixture.attach(["com.example.rotate"], ["listener": "silent", "deadlineUsec": 2_000_000])
        var reply: JSONObject?

        let other = try fixture.connect()
        other.call("io.belfry.Lifecycle.Post", ["name": "com.example.rotate", "wait": true]) { reply = try? $0.get() }
        #expect(try fixture.answer(failing, 1, "failed", "disk full") == .success([:]))
        try fixture.turn { silent.replies.count == 2 }
        #expect(reply == nil)
        fixture.clock.advance(by: .seconds(2))
        try fixture.turn { reply != nil }

        let reports = reply?["reports"]?.arrayValue ?? []
        #expect(reply?["result"] == "failed")
        #expect(reports.map { $0["listener"] } == ["guard", "silent"])
        #expect(reports.map { $0["outcome"] } == ["failed", "overran"])
        #expect(reports.map { $0["reason"] } == ["disk full", nil])
        #expect(reports.map { $0["durationUsec"] } == [0, 2_000_000])
    }

    private func unknown(_ question: JSONObject?) -> VarlinkError {
        .failed(name: "io.belfry.Lifecycle.UnknownToken", parameters: ["token": question?["token"] ?? ""])
    }

    @Test func withoutConfirmationEveryReplyIsANotification() throws {
        let attached = try fixture.more("Attach", ["listener": "guard", "names": ["flushRequested"]])
        try fixture.turn { fixture.mediator.listeners.contains { $0.name == "guard" } }

        fixture.mediator.post(.flushRequested)
        try fixture.turn { attached.replies.count == 1 }

        #expect(attached.replies[0]["token"]?.stringValue?.count == 32)
        #expect(attached.replies[0]["notification"]?["name"] == "flushRequested")
    }

    @Test func aProgramMayBeDegradedFromTheBeginningUntilItReportsOtherwise() throws {
        var told: [[ListenerHealthReport]] = []
        let observation = fixture.mediator.addEventObserver(for: .healthChanged) {
            if case .healthChanged(let reports) = $0 { told.append(reports) }
        }
        let attached = try fixture.attach(
            [], ["health": "degraded", "reason": .string(String(repeating: "x", count: 3000))])
        let health = {
            try fixture.call("ListListeners").get()["listeners"]?.arrayValue?.first { $0["name"] == "guard" }
        }

        #expect(try health()?["health"] == "degraded")
        #expect(try health()?["healthReason"]?.stringValue?.count == 2048)
        #expect(told.map(\.count) == [1])
        withExtendedLifetime((attached, observation)) {}
    }

    @Test func aSuccessIsShownWithItsTime() throws {
        let attached = try fixture.attach([], ["health": "unknown", "reason": "not yet"])
        let guardian = {
            try fixture.call("ListListeners").get()["listeners"]?.arrayValue?.first { $0["name"] == "guard" }
        }
        #expect(try guardian()?["health"] == "unknown")
        #expect(try guardian()?["healthReason"] == "not yet" && guardian()?["healthyUsec"] == nil)

        _ = try fixture.call("ReportHealth", ["listener": "guard", "health": "healthy"])

        #expect(try guardian()?["health"] == "healthy")
        #expect(try guardian()?["healthyUsec"] == .int(fixture.clock.now.realtime.signedMicroseconds))
        withExtendedLifetime(attached) {}
    }

    /// Each before the notification that changes it, also when the program attaches in the middle of a pause.
    @Test func theStateComesOnTheSameStreamForWhoAsks() throws {
        let first = try fixture.attach(["willResignActive", "didEnterBackground"], ["state": true])
        fixture.mediator.perform(.pause)
        try fixture.turn { first.replies.count == 3 }
        let second = try fixture.attach([], ["listener": "second", "state": true])
        let silent = try fixture.attach([], ["listener": "silent"])
        try fixture.answer(first, 2, "completed")
        try fixture.turn { first.replies.count == 5 && second.replies.count == 2 }

        let told = first.replies.map { $0["state"]?["state"] ?? $0["notification"]?["name"] }
        #expect(told == ["active", "inactive", "willResignActive", "background", "didEnterBackground"])
        #expect(first.replies[0]["state"]?["pid"] != nil)
        #expect(second.replies.map { $0["state"]?["state"] } == ["inactive", "background"])
        #expect(silent.replies == [[:]])
    }

    @Test func attachedListenerIsCalledInItsOrder() throws {
        let before = RecordingListener("before", [.willResignActive, .didBecomeActive])
        try fixture.mediator.addListener(before)
        let attached = try fixture.attach(["willResignActive", "didBecomeActive"], ["follows": ["before"]])

        fixture.mediator.perform(.interrupt)
        try fixture.turn { attached.replies.count == 2 }
        #expect(before.received.isEmpty)
        try fixture.answer(attached, 1, "completed")
        #expect(before.received.map(\.name) == [.willResignActive])
        fixture.mediator.perform(.resume)
        #expect(before.received.map(\.name) == [.willResignActive, .didBecomeActive])
        try fixture.answer(attached, 2, "completed")

        #expect(fixture.mediator.state == .active)
    }

    @Test func attachedListenerIsAskedInADryRun() throws {
        let attached = try fixture.attach(["willReload", "didFailToReload"])
        let request = try fixture.more("Reload", ["dryRun": true])

        try fixture.turn { attached.replies.count == 2 }
        #expect(attached.replies[1]["notification"]?["name"] == "willReload")
        #expect(attached.replies[1]["notification"]?["userInfo"]?["dryRun"] == true)
        try fixture.answer(attached, 1, "refused", "recording")
        try fixture.turn { request.isOver }

        #expect(request.errorParameters?["reasons"] == ["guard: recording"])
        #expect(attached.replies.count == 2)
    }

    /// A stop that waits for an attached listener, with its progress reports.
    private final class PendingStop {
        /// Keeps the listener attached.
        let attached: ReplyRecorder
        var question: JSONObject?
        var report: TransitionReport?
        var progress: [LifecycleProgress] = []
        var observation: LifecycleObservation?

        init(_ attached: ReplyRecorder) { self.attached = attached }

        var outcome: ListenerOutcome? { report?.notifications.last?.listeners.first?.outcome }
    }

    private func stop(deadlineUsec: Int64) throws -> PendingStop {
        let attached = try fixture.attach(["willTerminate"], ["deadlineUsec": .int(deadlineUsec)])
        let stop = PendingStop(attached)
        stop.observation = fixture.mediator.addEventObserver(for: .progress) { [unowned stop] in
            if case .progress(let progress) = $0 { stop.progress.append(progress) }
        }
        fixture.mediator.perform(.stop) { stop.report = $0 }
        try fixture.turn { attached.replies.count == 2 }
        stop.question = attached.replies.last
        return stop
    }

    @Test func progressIsLimitedInTimeAndText() throws {
        let stop = try stop(deadlineUsec: 3_000_000)

        let endless: JSONObject = [
            "nextWithinUsec": .int(.max), "text": .string(String(repeating: "word ", count: 10_000)),
        ]
        #expect(try progress(stop.question, endless) == .success([:]))
        #expect(try progress(stop.question, ["nextWithinUsec": 0]) == .failure(.invalidParameter("nextWithinUsec")))
        fixture.clock.advance(by: .seconds(3))

        #expect(stop.outcome == .overran)
        #expect(stop.progress.map { $0.text?.count } == [200])
    }

    private func progress(_ reply: JSONObject?, _ more: JSONObject = [:]) throws -> SocketFixture.Answer {
        var parameters = more
        parameters["token"] = reply?["token"]
        return try fixture.call("Progress", parameters)
    }

    @Test func disconnectedListenerIsDetached() throws {
        let after = RecordingListener("after", [.willResignActive, .didEnterBackground])
        try fixture.mediator.addListener(after)
        let attached = try fixture.attach(["willResignActive", "didEnterBackground", "willTerminate"])
        var report: TransitionReport?

        fixture.mediator.perform(.stop) { report = $0 }
        try fixture.turn { attached.replies.count == 2 }
        attached.vanish()
        try fixture.turn { report != nil }

        let failure = ListenerOutcome.failed("its program disconnected")
        #expect(
            report?.notifications.map { $0.listeners.first { $0.listener == "guard" }?.outcome } == [failure, nil, nil])
        #expect(after.received.map(\.name) == [.willResignActive, .didEnterBackground])
        #expect(!fixture.mediator.listeners.contains { $0.name == "guard" })
    }

    @Test func listenerThatDoesNotReadIsDetached() throws {
        let fixture = try SocketFixture()
        let attached = try fixture.more("Attach", ["listener": "guard", "names": ["a.name"]])
        try fixture.turn { fixture.mediator.listeners.contains { $0.name == "guard" } }
        attached.client.setPaused(true)
        let filler = JSONValue.string(String(repeating: "x", count: 100))
        var outcomes: [ListenerOutcome] = []

        for _ in 0..<2_000 {
            fixture.mediator.post(try #require(LifecycleNotification.Name("a.name")), userInfo: ["filler": filler]) {
                outcomes += $0.listeners.map(\.outcome)
            }
            try fixture.loop.turn(waiting: .zero)
        }

        #expect(!outcomes.isEmpty && outcomes.allSatisfy { $0 == .failed("its program does not read") })
        #expect(!fixture.mediator.listeners.contains { $0.name == "guard" })
    }

    @Test func actionsAreOfferedAndPerformed() throws {
        let actions: JSONValue = [
            ["id": "rotate", "title": "Rotate the keys"],
            ["id": "list", "title": "List the keys"],
        ]
        let attached = try fixture.attach([], ["actions": actions])
        #expect(try fixture.call("ListActions").get() == ["actions": actions])
        var reply: JSONObject?

        let other = try fixture.connect()
        other.call("io.belfry.Lifecycle.PerformAction", ["id": "rotate", "userInfo": ["now": true]]) {
            reply = try? $0.get()
        }
        try fixture.turn { attached.replies.count == 2 }
        #expect(attached.replies[1]["notification"]?["userInfo"] == ["action": "rotate", "now": true])
        try fixture.answer(attached, 1, "handled")
        try fixture.turn { reply != nil }

        #expect(reply?["reports"]?.arrayValue?.first?["outcome"] == "handled")
        let missing = VarlinkError.failed(name: "io.belfry.Lifecycle.NoSuchAction", parameters: ["id": "dance"])
        #expect(try fixture.call("PerformAction", ["id": "dance"]) == .failure(missing))
    }

    @Test func urlIsOpenedByTheFirstListenerThatHandlesIt() throws {
        let attached = try fixture.attach(["openURL"])
        #expect(try fixture.call("ListActions").get() == ["actions": []])
        var replies: [JSONObject] = []
        let other = try fixture.connect()

        for (number, outcome) in ["handled", "declined"].enumerated() {
            other.call("io.belfry.Lifecycle.OpenURL", ["url": "x:y"]) {
                if let reply = try? $0.get() { replies.append(reply) }
            }
            try fixture.answer(attached, number + 1, .string(outcome))
            try fixture.turn { replies.count == number + 1 }
        }

        #expect(replies.map { $0["handledBy"] } == ["guard", nil])
    }

    @Test(
        arguments: [
            (["listener": "no name"], "org.varlink.service.InvalidParameter"),
            (["listener": "x", "deadlineUsec": 0], "org.varlink.service.InvalidParameter"),
            (["listener": "x", "health": "lost"], "org.varlink.service.InvalidParameter"),
            (["listener": "x", "names": ["no name"]], "io.belfry.Lifecycle.InvalidName"),
            (["listener": "x", "names": ["performAction"]], "io.belfry.Lifecycle.InvalidName"),
            (["listener": "socket"], "io.belfry.Lifecycle.ListenerExists"),
            (["listener": "x", "follows": ["x"]], "io.belfry.Lifecycle.InvalidOrder"),
        ] as [(JSONObject, String)])
    func invalidParametersAreRefused(parameters: JSONObject, error: String) throws {
        #expect(try fixture.attach(["flushRequested"], parameters).error == error)
    }

    /// It is kept as long as the program is attached, and part of each list.
    @Test(arguments: ["failed", "refused"])
    func longReasonIsCut(outcome: String) throws {
        let name = try #require(LifecycleNotification.Name("com.example.rotate"))
        let attached = try fixture.attach([.string(name.rawValue)])
        fixture.mediator.post(name)
        try fixture.turn { attached.replies.count == 2 }
        let reason = String(repeating: "\u{301}\u{323}", count: 100_000)

        #expect(try fixture.answer(attached, 1, .string(outcome), .string(reason)) == .success([:]))

        let listeners = try fixture.call("ListListeners").get()["listeners"]?.arrayValue ?? []
        let kept = try #require(listeners.first { $0["name"] == "guard" }?["lastReason"]?.stringValue)
        #expect(kept.utf8.count == 4096 + 3 && kept.hasSuffix("…"))
    }

    @Test func unknownOutcomeIsRefused() throws {
        #expect(
            try fixture.call("Answer", ["token": "", "outcome": "overran"]) == .failure(.invalidParameter("outcome")))
    }
}
