// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryEventLoop
import BelfryJSON
import Testing

@testable import belfry_fleetd

struct PendingCommandsTests {
    private var pending = PendingCommands()
    private let command = FleetCommand(id: "c1", .reload, deadlineUsec: 9)

    private func at(_ seconds: UInt64) -> MonotonicInstant { MonotonicInstant(microseconds: seconds * 1_000_000) }

    private mutating func sent() -> [String] {
        var hosts: [String] = []
        while let (host, _) = pending.nextToSend() { hosts.append(host) }
        return hosts
    }

    @Test mutating func commandIsSentToEachHostOnce() {
        pending.add(command, to: ["h1", "h2"], deadline: at(5))

        #expect(pending.nextToSend()?.command == command)
        #expect(sent() == ["h2"])
        #expect(sent() == [])
    }

    @Test mutating func firstOutcomeEndsIt() {
        pending.add(command, to: ["h1", "h2"], deadline: at(5))

        #expect(pending.receive(FleetReply(id: "c1", .notification(["a": 1])), from: "h1") == .notification(["a": 1]))
        #expect(
            pending.receive(FleetReply(id: "c1", .failed, reason: "no"), from: "h1")
                == .ending(.answered(.failed, reason: "no", result: nil)))
        #expect(pending.receive(FleetReply(id: "c1", .done), from: "h1") == nil)
        #expect(pending.receive(FleetReply(id: "c1", .notification([:])), from: "h1") == nil)
        #expect(pending.receive(FleetReply(id: "c1", .done), from: "h2") != nil)
        #expect(pending.nextDeadline == nil)
    }

    @Test mutating func repliesToOthersAreIgnored() {
        pending.add(command, to: ["h1"], deadline: at(5))

        #expect(pending.receive(FleetReply(id: "c2", .done), from: "h1") == nil)
        #expect(pending.receive(FleetReply(id: "c1", .done), from: "h2") == nil)
    }

    @Test mutating func unansweredCommandIsRepeatedAtEachBirth() {
        pending.add(command, to: ["h1", "h2"], deadline: at(5))
        _ = sent()

        pending.repeatCommands(to: "h1")
        pending.repeatCommands(to: "h1")
        pending.repeatCommands(to: "h3")
        #expect(sent() == ["h1"])

        pending.repeatCommands(to: "h1")
        _ = pending.receive(FleetReply(id: "c1", .done), from: "h1")
        pending.repeatCommands(to: "h1")
        #expect(sent() == [])
    }

    @Test mutating func deadlineNamesTheHostsThatHaveNotAnswered() {
        pending.add(command, to: ["h3", "h2", "h1"], deadline: at(5))
        pending.add(FleetCommand(id: "c2", .pause, deadlineUsec: 9), to: ["h1"], deadline: at(6))
        _ = pending.receive(FleetReply(id: "c1", .done), from: "h2")
        #expect(pending.nextDeadline == at(5))
        #expect(pending.expire(at: at(4)) { _ in true }.map(\.host) == [])

        let ended = pending.expire(at: at(5)) { $0 == "h3" }

        #expect(ended.map(\.host) == ["h1", "h3"])
        #expect(ended.map(\.ending) == [.away, .timeout])
        #expect(ended.allSatisfy { $0.id == "c1" })
        #expect(pending.nextDeadline == at(6))
        #expect(pending.receive(FleetReply(id: "c1", .done), from: "h1") == nil)
    }

    @Test func wordsAreThoseOfTheInterface() {
        typealias Ending = PendingCommands.Ending

        #expect(Ending.timeout.word == "timeout" && Ending.away.word == "away")
        let refused = Ending.answered(.refused, reason: "no", result: nil)
        #expect(refused.word == "refused" && refused.reason == "no" && refused.isDeclined && !refused.isDone)
        #expect(Ending.answered(.done, reason: nil, result: nil).isDone)
        #expect(!Ending.timeout.isDeclined && !Ending.answered(.failed, reason: nil, result: nil).isDeclined)
    }
}
