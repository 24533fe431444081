// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryJSON
import FoundationEssentials
import TestSupport
import Testing

@testable import belfry_fleetd

struct FleetMessageTests {
    @Test func reportIsReadBack() {
        var report = HostReport(state: .background, session: "abc")
        report.timeUsec = 1
        report.validUntilUsec = 2
        report.sinceUsec = 3
        report.bootID = "boot"
        report.sequence = 4
        report.version = "1.0"
        #expect(HostReport(report.payload) == report)
        #expect(HostReport(HostReport.will(session: "abc").payload) == HostReport(state: .dead, session: "abc"))
    }

    @Test(arguments: [
        FleetCommand.Action.pause, .resume, .reload, .check, .post(name: "x.y", userInfo: ["a": 1]),
        .notifications(bootID: "b", after: 7), .notifications(bootID: nil, after: 0),
    ])
    func commandIsReadBack(action: FleetCommand.Action) {
        let command = FleetCommand(action, deadlineUsec: 9)
        #expect(FleetCommand(command.payload) == command)
    }

    @Test func messagesArePrintedOnThePage() throws {
        let page = try String(contentsOf: ProjectFile.url("Fleet/docs/fleet.md"), encoding: .utf8)
        let shown = page.split(separator: "```json\n").dropFirst().map { $0.prefix { $0 != "\n" } }
        let messages = shown.map { Array($0.utf8) }
        let read = [
            HostReport(messages[0])?.payload, FleetCommand(messages[1])?.payload, FleetReply(messages[2])?.payload,
        ]

        #expect(read.map { $0.map { String(decoding: $0, as: UTF8.self)[...] } } == shown)
    }

    @Test(arguments: [
        "", "[]", "{}", "null", #"{"state":"active"}"#, #"{"state":"flying","session":"a"}"#,
        #"{"id":"a","command":"halt","deadlineUsec":1}"#, #"{"id":"","command":"pause","deadlineUsec":1}"#,
        #"{"id":"a","command":"pause"}"#, #"{"id":"a","command":"post","deadlineUsec":1}"#,
        #"{"id":"a","outcome":"flown"}"#, #"{"id":"a/b","outcome":"done"}"#,
    ])
    func otherPayloadsAreRefused(text: String) {
        let payload = Array(text.utf8)
        #expect(HostReport(payload) == nil && FleetCommand(payload) == nil && FleetReply(payload) == nil)
    }
}
