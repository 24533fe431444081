// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

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
}
