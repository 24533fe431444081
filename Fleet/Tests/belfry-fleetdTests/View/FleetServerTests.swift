// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryJSON
import TestSupport
import Testing
import Varlink

@testable import belfry_fleetd

@Suite(.timeLimit(.minutes(1)))
struct FleetServerTests {
    @Test func hostsAreListedByName() throws {
        let fleet = try FleetFixture(hosts: ["h2", "h1"])
        fleet.kill("h2")

        let list = try fleet.result("List")

        #expect(list.replies.first?["isCurrent"] == true)
        let hosts = try #require(list.replies.first?["hosts"]?.arrayValue)
        #expect(hosts.map { $0["name"] } == ["h1", "h2"])
        #expect(hosts.map { $0["state"] } == ["active", "dead"])
    }

    @Test func hostsAreUnknownWithoutBroker() throws {
        let fleet = try FleetFixture(hosts: ["h1"])
        fleet.server.brokerLost("cable cut")

        let list = try fleet.result("List")
        let send = try fleet.result("Send", ["command": "reload"])

        #expect(list.replies.first?["isCurrent"] == false)
        #expect(list.replies.first?["hosts"]?.arrayValue?.first?["state"] == "unknown")
        #expect(list.replies.first?["hosts"]?.arrayValue?.first?["ageUsec"]?.intValue != nil)
        #expect(send.errorWord == "NoBroker")
        #expect(send.errorParameters?["reason"] == "cable cut")
    }

    @Test(arguments: ["List", "Watch", "History", "Send", "Roll", "Continue", "Cancel"])
    func everyMethodFailsWithoutView(method: String) throws {
        let fleet = try FleetFixture(hasView: false)
        let parameters: [String: JSONObject] = [
            "Send": ["command": "reload"], "Roll": ["command": "reload", "away": 1],
        ]

        #expect(try fleet.result(method, parameters[method] ?? [:]).errorWord == "NoView")
    }

    @Test(
        arguments: [
            ("Send", "command", ["command": "halt"]), ("Send", "command", ["command": "after"]),
            ("Send", "name", ["command": "post"]), ("Send", "name", ["command": "post", "name": "a b"]),
            ("Send", "timeoutUsec", ["command": "reload", "timeoutUsec": 0]),
            ("Send", "timeoutUsec", ["command": "reload", "timeoutUsec": 3_600_000_001]),
            ("Send", "hosts", ["command": "reload", "hosts": .string(String(repeating: "x", count: 257))]),
            (
                "Send", "userInfo",
                ["command": "post", "name": "a", "userInfo": ["x": .string(String(repeating: "x", count: 65536))]]
            ),
            ("Roll", "away", ["command": "reload", "away": 0]), ("Roll", "command", ["command": "resume", "away": 1]),
            ("Roll", "healthyUsec", ["command": "reload", "away": 1, "healthyUsec": -1]),
            ("History", "after", ["after": -1]), ("Watch", "names", ["names": ["a b"]]),
        ] as [(String, String, JSONObject)])
    func invalidParametersAreNamed(method: String, parameter: String, parameters: JSONObject) throws {
        let fleet = try FleetFixture(hosts: ["h1"])

        let call = try fleet.result(method, parameters)

        #expect(call.errorWord == "InvalidParameter")
        #expect(call.errorParameters?["parameter"] == .string(parameter))
        #expect(fleet.broker.commands.isEmpty)
    }

    @Test func patternWithoutHostsIsAnError() throws {
        let fleet = try FleetFixture(hosts: ["h1"])

        let send = try fleet.result("Send", ["command": "reload", "hosts": "web*"])

        #expect(send.errorWord == "NoSuchHosts" && send.errorParameters?["hosts"] == "web*")
    }

    @Test func commandIsSentToTheHostsThatMatch() throws {
        let fleet = try FleetFixture(hosts: ["web1", "web2", "db1"])
        let send = try fleet.call(
            "Send", ["command": "post", "name": "a.b", "userInfo": ["x": 1], "hosts": "web*"])

        #expect(try fleet.answer("web2", result: ["sequence": 4]) == .post(name: "a.b", userInfo: ["x": 1]))
        try fleet.answer("web1", .refused, "not accepted")
        try fleet.turn { send.isOver }

        #expect(send.words("host", "outcome", "reason") == ["web2 done", "web1 refused not accepted"])
        #expect(send.replies.first?["result"]?["sequence"] == 4)
        #expect(fleet.broker.commands.isEmpty)
    }

    @Test func hostsThatDoNotAnswerAreNamed() throws {
        let fleet = try FleetFixture(hosts: ["h1", "h2", "h3"])
        fleet.kill("h3")
        let send = try fleet.call("Send", ["command": "reload", "timeoutUsec": 50_000])

        try fleet.answer("h1")
        try fleet.turn { send.isOver }

        #expect(send.words("host", "outcome") == ["h1 done", "h2 timeout", "h3 away"])
    }

    @Test func commandIsRepeatedWhenAHostIsBack() throws {
        let fleet = try FleetFixture(hosts: ["h1"])
        let send = try fleet.call("Send", ["command": "reload"])
        let first = try fleet.command(to: "h1")

        fleet.report("h1")
        #expect(fleet.broker.commands.isEmpty)
        fleet.report("h1", session: "s2")
        #expect(try fleet.command(to: "h1") == first)
        fleet.server.brokerLost("lost")
        fleet.server.brokerConnected()
        fleet.report("h1", session: "s2")

        #expect(try fleet.command(to: "h1") == first)
        fleet.reply("h1", FleetReply(id: first.id, .done))
        try fleet.turn { send.isOver }
        #expect(send.words("host", "outcome") == ["h1 done"])
    }

    @Test func commandsWaitForRoomAtTheBroker() throws {
        let fleet = try FleetFixture(hosts: ["h1", "h2"])
        fleet.broker.hasRoom = false
        let send = try fleet.call("Send", ["command": "reload"])
        try fleet.loop.turnWithoutWaiting()
        #expect(fleet.broker.commands.isEmpty)

        fleet.broker.hasRoom = true
        fleet.server.brokerHasRoom()

        try fleet.answer("h1")
        try fleet.answer("h2")
        try fleet.turn { send.isOver }
    }

    @Test func nothingIsSentForAClientThatIsGone() throws {
        let fleet = try FleetFixture(hosts: ["h1"])
        let send = try fleet.call("Send", ["command": "reload"])
        _ = try fleet.command(to: "h1")

        send.client.close()
        let list = try fleet.result("List")
        fleet.report("h1", session: "s2")

        #expect(list.errorWord == nil)
        #expect(fleet.broker.commands.isEmpty)
    }

    @Test func onlySomeMayControlHosts() {
        let permissions = FleetPermissions(owner: 5, group: 7)

        #expect(permissions.allowControl(VarlinkPeer(pid: 1, uid: 0, gid: 0)))
        #expect(permissions.allowControl(VarlinkPeer(pid: 1, uid: 5, gid: 1)))
        #expect(permissions.allowControl(VarlinkPeer(pid: 1, uid: 6, gid: 7)))
        #expect(permissions.allowControl(VarlinkPeer(pid: 1, uid: 6, gid: 1, groups: [3, 7])))
        #expect(!permissions.allowControl(VarlinkPeer(pid: 1, uid: 6, gid: 5, groups: [3])))
        #expect(!FleetPermissions(owner: 5, group: nil).allowControl(VarlinkPeer(pid: 1, uid: 6, gid: 7)))
    }
}
