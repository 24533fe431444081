// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryConfiguration
import Lifecycle
import BelfrySocket
import LifecycleTesting
import TestSupport
import Testing
import Varlink

/// What the replies to Pause, Resume, Interrupt and Reload say about the listeners.
@Suite(.timeLimit(.minutes(1)))
struct TransitionReplyTests {
    let fixture: SocketFixture

    init() throws { fixture = try SocketFixture() }

    @Test func replyNamesEachListenerThatFailedOrWasLate() throws {
        let attached = try fixture.attach(["willEnterForeground", "didBecomeActive"])
        let silent = try fixture.attach(["didBecomeActive"], ["listener": "silent", "deadlineUsec": 2_000_000])
        fixture.mediator.perform(.pause)

        let resume = try fixture.more("Resume", [:])
        try fixture.answer(attached, 1, "completed")
        try fixture.answer(attached, 2, "failed", "no upstream")
        try fixture.turn { silent.replies.count == 2 }
        fixture.clock.advance(by: .seconds(2))
        try fixture.turn { resume.isOver }

        let reply = try #require(resume.replies.first)
        #expect(reply["state"] == "active")
        #expect(
            reply["reports"] == [
                [
                    "listener": "guard", "notification": "didBecomeActive", "outcome": "failed", "durationUsec": 0,
                    "reason": "no upstream",
                ],
                [
                    "listener": "silent", "notification": "didBecomeActive", "outcome": "overran",
                    "durationUsec": 2_000_000,
                ],
            ])
    }

    @Test func pauseHasAReasonOfBoundedLength() throws {
        var reasons: [UserInfo] = []
        let observation = fixture.mediator.addObserver(forName: .didEnterBackground) { reasons.append($0.userInfo) }
        defer { observation.cancel() }

        for reason in ["", String(repeating: "é", count: 101)] {
            let refused = try fixture.more("Pause", ["reason": .string(reason)])
            try fixture.turn { refused.isOver }
            #expect(refused.error == "org.varlink.service.InvalidParameter")
        }
        let longest = String(repeating: "é", count: 100)
        let accepted: [JSONObject] = [["reason": .string(longest)], ["reason": .null], [:]]
        for parameters in accepted {
            _ = try fixture.call("Pause", parameters).get()
            _ = try fixture.call("Resume").get()
        }

        #expect(reasons == [["reason": .string(longest)], [:], [:]])
        #expect(throws: VarlinkError.self) { try fixture.call("Resume", ["reason": "x"]).get() }
    }

    @Test func pauseIsRepeatedForAProgramThatFailed() throws {
        let attached = try fixture.attach(["didEnterBackground", "flushRequested"])
        let first = try fixture.more("Pause", [:])
        try fixture.answer(attached, 1, "failed", "busy")
        try fixture.turn { first.isOver }
        // A success of another kind does not make it one.
        fixture.mediator.post(.flushRequested)
        try fixture.answer(attached, 2, "completed")

        let second = try fixture.more("Pause", [:])
        try fixture.answer(attached, 3, "completed")
        try fixture.turn { second.isOver }

        #expect(first.replies.first?["reports"]?.arrayValue?.first?["reason"] == "busy")
        #expect(second.replies.first?["reports"] == [])
        #expect(try fixture.call("Pause").get()["reports"] == [] && attached.replies.count == 4)
    }

    @Test func stateNamesTheTransitionUnderWayAndWhatItWaitsFor() throws {
        let attached = try fixture.attach(["willReload"])
        #expect(try fixture.call("GetState").get()["transition"] == nil)

        let began = Int64(fixture.clock.now.realtimeUsec)
        let reload = try fixture.more("Reload", [:])
        try fixture.turn { attached.replies.count == 2 }
        fixture.clock.advance(by: .seconds(2))
        let transition = try fixture.call("GetState").get()["transition"]
        try fixture.answer(attached, 1, "completed")
        try fixture.turn { reload.isOver }

        #expect(transition?["trigger"] == "reload")
        #expect(transition?["origin"]?["kind"] == "socket")
        #expect(transition?["waitingFor"] == ["guard"])
        #expect(transition?["sinceUsec"]?.intValue == began)
        #expect(transition?["dryRun"] == nil)
        #expect(try fixture.call("GetState").get()["transition"] == nil)
    }

    @Test(arguments: ["Pause", "Interrupt", "Reload"])
    func requestOfAClientThatHasGoneIsNotDoneLater(_ method: String) throws {
        let attached = try fixture.attach(["willReload"])
        var names: [LifecycleNotification.Name] = []
        let observation = fixture.mediator.addObserver { names.append($0.name) }
        defer { observation.cancel() }
        let reload = try fixture.more("Reload", [:])
        try fixture.turn { attached.replies.count == 2 }

        let gone = try fixture.more(method, [:])
        try fixture.turn { fixture.mediator.pendingTransitions.count == 2 }
        gone.vanish()
        try fixture.turn { fixture.mediator.pendingTransitions.count == 1 }
        try fixture.answer(attached, 1, "completed")
        try fixture.turn { reload.isOver }

        #expect(names == [.willReload, .didReload])
        #expect(fixture.mediator.state == .active)
    }

    /// What a program says, and whom the socket has told, are in the reply, in order.
    @Test func replySaysWhatListenersDid() throws {
        let subscriber = try fixture.subscribe()
        defer { withExtendedLifetime(subscriber) {} }
        let attached = try fixture.attach(["didEnterBackground"])

        let pause = try fixture.more("Pause", [:])
        try fixture.turn { attached.replies.count == 2 }
        let token = attached.replies[1]["token"] ?? ""
        _ = try fixture.call(
            "Answer",
            ["token": token, "outcome": "completed", "work": "lamp off\n", "details": ["lamps": 1]]
        ).get()
        try fixture.turn { pause.isOver }

        let reports = pause.replies.last?["reports"]?.arrayValue ?? []
        #expect(reports.map { $0["listener"] } == ["guard", "socket"])
        #expect(reports.map { $0["work"] } == ["lamp off\n", "told 1 subscriber"])
        #expect(reports.first?["details"] == ["lamps": 1])
        let listener = try fixture.call("ListListeners").get()["listeners"]?.arrayValue?.first { $0["name"] == "guard" }
        #expect(listener?["lastWork"] == "lamp off\n")
    }

    @Test func listOfListenersSaysWhereTheLastCallFailed() throws {
        let attached = try fixture.attach(["willResignActive", "didEnterBackground"])
        func listed() throws -> JSONValue? {
            try fixture.call("ListListeners").get()["listeners"]?.arrayValue?.first { $0["name"] == "guard" }
        }

        let pause = try fixture.more("Pause", [:])
        try fixture.answer(attached, 1, "failed", "no disk")
        let failed = try listed()
        try fixture.answer(attached, 2, "completed")
        try fixture.turn { pause.isOver }
        let later = try listed()

        #expect(failed?["lastOutcome"] == "failed" && failed?["lastReason"] == "no disk")
        #expect(failed?["lastNotification"] == "willResignActive")
        #expect(later?["lastOutcome"] == "completed")
        #expect(later?["lastReason"] == nil && later?["lastNotification"] == nil)
    }

    @Test func refusalNamesAListenerThatDidNotGoBack() throws {
        let attached = try fixture.attach(["willReload", "didFailToReload"])

        let reload = try fixture.more("Reload", [:])
        try fixture.answer(attached, 1, "refused", "recording")
        try fixture.answer(attached, 2, "failed", "lost")
        try fixture.turn { reload.isOver }

        #expect(reload.error == "io.belfry.Lifecycle.ReloadRefused")
        #expect(
            reload.errorParameters?["reasons"] == ["guard: recording", "guard: lost (in didFailToReload)"])
    }

    /// Nobody has refused it, and nobody knows what the listener has applied.
    @Test func aReloadThatAListenerDidNotApplyIsNotRefused() throws {
        let attached = try fixture.attach(["willReload", "didReload", "didFailToReload"])

        let reload = try fixture.more("Reload", [:])
        try fixture.answer(attached, 1, "completed")
        try fixture.answer(attached, 2, "failed", "no port")
        try fixture.answer(attached, 3, "failed", "lost")
        try fixture.turn { reload.isOver }

        #expect(attached.replies[3]["notification"]?["userInfo"]?["accepted"] == true)
        #expect(reload.error == "io.belfry.Lifecycle.ReloadFailed")
        #expect(
            reload.errorParameters?["reports"] == [
                [
                    "listener": "guard", "notification": "didReload", "outcome": "failed", "durationUsec": 0,
                    "reason": "no port",
                ],
                [
                    "listener": "guard", "notification": "didFailToReload", "outcome": "failed", "durationUsec": 0,
                    "reason": "lost",
                ],
            ])
    }

    @Test func aCommandThatIsLateIsNamedByItsKey() throws {
        let directory = try TemporaryDirectory()
        try directory.write(
            "root/etc/belfry/applications/guard.conf",
            "[Application]\nUnit=a.service\n[On]\nCheckReload=true\nReload=true\nPause=true\n")
        let scope = ApplicationScope.system(root: directory.path("root"))
        let application = try #require(ApplicationFile("guard", in: scope).settings)
        let fixture = try SocketFixture(application: application)
        let more: JSONObject = ["deadlineUsec": 3_000_000]
        let attached = try fixture.attach(["willReload", "didReload", "didEnterBackground", "flushRequested"], more)

        let reload = try fixture.more("Reload", [:])
        try fixture.answer(attached, 1, "completed")
        try fixture.turn { attached.replies.count == 3 }
        fixture.clock.advance(by: .seconds(3))
        try fixture.turn { reload.isOver }
        let refused = try fixture.more("Reload", [:])
        try fixture.turn { attached.replies.count == 4 }
        fixture.clock.advance(by: .seconds(3))
        try fixture.turn { refused.isOver }
        var flushed: LifecycleReport?
        fixture.mediator.post(.flushRequested) { flushed = $0 }
        try fixture.turn { attached.replies.count == 5 }
        fixture.clock.advance(by: .seconds(3))
        let pause = try fixture.more("Pause", [:])
        try fixture.turn { attached.replies.count == 6 }
        fixture.clock.advance(by: .seconds(3))
        try fixture.turn { pause.isOver }

        let reports = reload.errorParameters?["reports"]?.arrayValue ?? []
        #expect(reports.map { $0["outcome"] } == ["overran"])
        #expect(reports.map { $0["durationUsec"] } == [3_000_000])
        #expect(reports.map { $0["reason"] } == ["Reload= has not ended within its deadline"])
        #expect(refused.error == "io.belfry.Lifecycle.ReloadRefused")
        #expect(
            refused.errorParameters?["reasons"] == ["guard: CheckReload= has not ended within its deadline"])
        // It has no key.
        #expect(flushed?.problems == ["guard: no answer within its deadline"])
        let paused = pause.replies.last?["reports"]?.arrayValue?.first { $0["listener"] == "guard" }
        #expect(paused?["reason"] == "Pause= has not ended within its deadline")
    }
}
