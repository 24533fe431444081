// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Testing

@testable import belfry_fleetd

struct CommandLedgerTests {
    private var ledger = CommandLedger()
    private let command = FleetCommand(id: "a", .pause, deadlineUsec: 1_000)

    @Test mutating func commandIsDoneOnce() {
        #expect(ledger.decide(command, isAccepted: true, now: 0) == .act)
        ledger.begin(command, now: 0)
        #expect(ledger.decide(command, isAccepted: true, now: 1) == .wait)
        let reply = FleetReply(id: "a", .failed, reason: "no")
        ledger.end(reply)
        #expect(ledger.decide(command, isAccepted: true, now: 2) == .answer(reply))
        // Also after the deadline, and when it would no longer be accepted.
        #expect(ledger.decide(command, isAccepted: false, now: 2_000) == .answer(reply))
    }

    @Test func lateCommandIsRefused() {
        guard case .answer(let reply) = CommandLedger().decide(command, isAccepted: true, now: 1_000),
            case .outcome(.late, _, _) = reply.content
        else {
            Issue.record("it is not late")
            return
        }
    }

    @Test func commandThatIsNotAcceptedIsRefused() {
        expectRefused(CommandLedger().decide(command, isAccepted: false, now: 0))
    }

    @Test func deadlineIsAtMostAnHourAway() {
        let hour = CommandLedger.longestTimeUsec
        let far = FleetCommand(id: "a", .pause, deadlineUsec: .max)
        expectRefused(CommandLedger().decide(far, isAccepted: true, now: -5))
        let near = FleetCommand(id: "a", .pause, deadlineUsec: hour)
        #expect(CommandLedger().decide(near, isAccepted: true, now: 0) == .act)
    }

    @Test mutating func numberOfCommandsIsLimitedUntilTheirDeadlines() {
        for number in 0..<CommandLedger.commandsMax {
            let command = FleetCommand(id: "\(number)", .pause, deadlineUsec: 1_000)
            ledger.begin(command, now: 0)
            ledger.end(FleetReply(id: "\(number)", .done))
        }
        expectRefused(ledger.decide(FleetCommand(id: "x", .pause, deadlineUsec: 2_000), isAccepted: true, now: 999))
        #expect(ledger.decide(FleetCommand(id: "x", .pause, deadlineUsec: 2_000), isAccepted: true, now: 1_000) == .act)
    }

    @Test mutating func recordIsReadBack() {
        ledger.begin(command, now: 0)
        ledger.end(FleetReply(id: "a", .failed, reason: "no"))
        #expect(CommandLedger(json: ledger.json) == ledger)
    }

    @Test mutating func commandThatWasCutIsUnknown() throws {
        ledger.begin(command, now: 0)
        let next = try #require(CommandLedger(json: ledger.json))
        guard case .answer(let reply) = next.decide(command, isAccepted: true, now: 1),
            case .outcome(.unknown, _, _) = reply.content
        else {
            Issue.record("it is not unknown")
            return
        }
    }

    @Test(arguments: ["", "{}", "[1]", #"[{"id":"a"}]"#, #"[{"id":"/","deadlineUsec":1}]"#])
    func otherFilesAreNoRecord(text: String) {
        #expect(CommandLedger(json: Array(text.utf8)) == nil)
    }

    private func expectRefused(_ decision: CommandLedger.Decision, _ place: SourceLocation = #_sourceLocation) {
        guard case .answer(let reply) = decision, case .outcome(.refused, _, _) = reply.content else {
            Issue.record("it is not refused", sourceLocation: place)
            return
        }
    }
}
