// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Lifecycle
import BelfryListeners
import BelfrySocket
import LifecycleTesting
import BelfrySystemd
import TestSupport
import Testing
import Varlink

@Suite(.timeLimit(.minutes(1)))
struct HoldListTests {
    let fixture: SocketFixture

    init() throws { fixture = try SocketFixture() }

    private func hold(_ parameters: JSONObject = ["reason": "backup"]) throws -> ReplyRecorder {
        let hold = try fixture.more("Hold", parameters)
        try fixture.turn { !hold.replies.isEmpty || hold.isOver }
        return hold
    }

    @Test(arguments: [LifecycleTrigger.pause, .stop])
    func transitionWaitsUntilTheHolderDisconnects(trigger: LifecycleTrigger) throws {
        let hold = try hold()
        #expect(hold.replies == [["held": true]])

        fixture.mediator.perform(trigger)
        try fixture.turn { hold.replies.count == 2 }
        #expect(hold.replies.last == ["held": true, "waiting": .string(trigger.rawValue)])
        #expect(fixture.mediator.state == .inactive)
        hold.vanish()
        try fixture.turn { fixture.mediator.state != .inactive }

        #expect(fixture.mediator.state == (trigger == .pause ? .background : .notRunning))
        #expect(fixture.writer.records.contains { $0.message == "\(trigger) waits for 'backup'" })
    }

    @Test func sleepThatDoesNotWaitIsTold() throws {
        let hold = try hold()
        let other = try self.hold(["reason": "up\ngrade"])
        defer { withExtendedLifetime(other) {} }
        var work: [String] = []
        let ends = fixture.mediator.addEventObserver(for: .transitionEnded) {
            if case .transitionEnded(let report) = $0 {
                work = report.notifications.flatMap(\.listeners).compactMap(\.work?.text)
            }
        }
        defer { withExtendedLifetime(ends) {} }
        fixture.mediator.pauseForSleep(waitingAtMost: .seconds(2)) { _ in }

        fixture.clock.advance(by: .seconds(2))
        try fixture.turn { hold.replies.contains(["held": true, "overriddenBy": "sleep"]) }

        #expect(!hold.isOver && fixture.mediator.state == .background)
        #expect(work.contains("waits no longer for 'backup', 'up\ngrade'"))
    }

    @Test func pauseThatAStopOvertakesIsNoSleep() throws {
        let slow = try fixture.attach(["willResignActive"])
        let hold = try hold()

        fixture.mediator.perform(.pause)
        try fixture.turn { slow.replies.count == 2 }
        fixture.mediator.perform(.stop)
        try fixture.answer(slow, 1, "completed")
        try fixture.turn { hold.replies.count == 2 }

        #expect(hold.replies == [["held": true], ["held": true, "waiting": "stop"]])
    }

    @Test func holdersAreListed() throws {
        let first = try hold()
        let second = try hold(["reason": "upgrade", "timeoutUsec": 5_000_000])

        let holds = try fixture.call("ListHolds").get()["holds"]?.arrayValue ?? []
        second.vanish()
        first.vanish()
        try fixture.turn { (try? fixture.call("ListHolds").get()["holds"]) == [] }

        try #require(holds.count == 2)
        #expect(holds[0]["reason"] == "backup")
        #expect(holds[0]["remainingUsec"] == nil && (holds[0]["ageUsec"]?.intValue ?? -1) >= 0)
        #expect(holds[1]["reason"] == "upgrade")
        #expect(holds[1]["remainingUsec"] == 5_000_000)
    }

    @Test func stoppingServiceRefusesAHold() throws {
        let first = try hold()
        fixture.mediator.perform(.stop)

        let late = try hold(["reason": "late"])

        #expect(late.error == "io.belfry.Lifecycle.Stopping")
        first.vanish()
    }

    @Test func invalidHoldIsRefused() throws {
        let long = JSONValue.string(String(repeating: "x", count: 1025))
        for (parameter, value) in [("timeoutUsec", 0), ("reason", long)] as [(String, JSONValue)] {
            var parameters: JSONObject = ["reason": "x"]
            parameters[parameter] = value
            let refused = try hold(parameters)
            #expect(refused.error == "org.varlink.service.InvalidParameter")
            #expect(refused.errorParameters?["parameter"] == .string(parameter))
        }
        let error = VarlinkError.failed(name: "org.varlink.service.ExpectedMore", parameters: [:])
        #expect(try fixture.call("Hold", ["reason": "x"]) == .failure(error))
    }

    @Test func endOfAHoldIsToldAndLoggedWithItsReason() throws {
        let first = try hold(["reason": "limited", "timeoutUsec": 3_000_000])
        fixture.clock.advance(by: .seconds(3))
        try fixture.turn { first.isOver }
        #expect(first.replies.last == ["held": false, "reason": "its timeout expired"])
        let second = try hold(["reason": "long"])
        fixture.mediator.perform(.pause)
        fixture.clock.advance(by: .seconds(90))
        try fixture.turn { second.isOver }
        #expect(second.replies.last == ["held": false, "reason": "what waits for it has no more time"])
        #expect(fixture.mediator.state == .background)
        fixture.mediator.perform(.resume)
        let third = try hold(["reason": "cut"])
        fixture.mediator.perform(.stop)
        fixture.mediator.perform(.stop)
        try fixture.turn { third.isOver }

        let over = fixture.writer.records.map(\.message.description).filter { $0.contains(" is over, ") }
        #expect(over.count == 3)
        #expect(over.first?.hasSuffix("is over, because its timeout expired") == true)
        #expect(over.dropFirst().first?.hasSuffix("is over, because what waits for it has no more time") == true)
        #expect(over.last?.hasSuffix("is over, because a second stop came") == true)
    }

    @Test(arguments: [Int64.max, Int64.min, 0, 1, Int64.max / 2])
    func timeoutMayBeAnyNumber(usec: Int64) throws {
        let hold = try hold(["reason": "backup", "timeoutUsec": .int(usec)])
        _ = try fixture.call("ListHolds").get()
        fixture.mediator.perform(.stop)
        let plan = try fixture.call("Explain", ["signal": "TERM"]).get()
        fixture.mediator.perform(.stop)

        #expect(plan["longestUsec"] != nil)
        #expect(fixture.mediator.state == .notRunning)
        #expect(hold.isOver == (usec <= 0))
    }

    @Test func recordNamesTenHoldsAndCountsTheOthers() throws {
        let holds = try (0..<13).map { try hold(["reason": .string("h\($0)")]) }

        fixture.mediator.perform(.pause)

        let record = fixture.writer.records.map(\.message.description).last { $0.hasPrefix("pause waits for ") }
        #expect(record?.hasSuffix("'h8', 'h9' and 3 more") == true)
        for hold in holds { hold.vanish() }
    }
}
