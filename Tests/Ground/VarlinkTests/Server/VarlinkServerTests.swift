// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryEventLoop
import Glibc
import TestSupport
import Testing
import Varlink

@Suite(.timeLimit(.minutes(1)))
struct VarlinkServerTests {
    let fixture: ServerFixture
    let peer: Peer

    init() throws {
        fixture = try ServerFixture()
        peer = try fixture.peer()
    }

    private func echo(_ text: String, mode: VarlinkCall.Mode = .single) -> VarlinkCall {
        VarlinkCall("org.example.test.Echo", ["text": .string(text)], mode: mode)
    }

    @Test func replyIsWrittenInTheTurnOfItsCall() throws {
        try fixture.turn { fixture.server.connectionCount == 1 }

        peer.write(echo("a"))
        try fixture.loop.turn(waiting: .zero)
        peer.read()

        #expect(peer.received == [#"{"parameters":{"text":"a"}}"#])
    }

    /// The check of one call must not be reused for the next.
    @Test(
        arguments: [
            (#"{"method":"org.example.test.Echo","parameters":{"text":1}}"#, "InvalidParameter"),
            (#"{"method":"org.example.test.Echo","parameters":{"text":"a","x":1}}"#, "InvalidParameter"),
            (#"{"method":"org.example.test.Do","parameters":{"text":"a"}}"#, "MethodNotFound"),
            (#"{"method":"org.example.test.Missing","parameters":{"text":"a"}}"#, "MethodNotImplemented"),
        ])
    func secondCallIsCheckedIndependently(text: String, error: String) throws {
        peer.write(echo("a"))
        peer.write(Array(text.utf8) + [0])

        let replies = try fixture.receive(2, peer)

        #expect(replies[0] == #"{"parameters":{"text":"a"}}"#)
        #expect(try VarlinkReply(message: ArraySlice(replies[1].utf8)).error == "org.varlink.service.\(error)")
    }

    @Test(arguments: [
        #"{"parameters":{"text":"a"},"method":"org.example.test.Echo"}"#: #"{"parameters":{"text":"a"}}"#,
        #"{"method":"org.example.test.Echo","parameters":null}"#: "{}",
        #" {"meth\u006fd" : "org.example.test.Ech\u006f" , "parameters" : { "t\u0065xt" : "\u0061" } } "#:
            #"{"parameters":{"text":"a"}}"#,
        #"{"method":"org.example.test.Echo","parameters":{"text":null,"point":{"x":1.0}}}"#:
            #"{"parameters":{"text":null,"point":{"x":1.0}}}"#,
    ])
    func callIsReadInAnySpelling(text: String, reply: String) throws {
        for _ in 0..<2 { peer.write(Array(text.utf8) + [0]) }

        #expect(try fixture.receive(2, peer) == [reply, reply])
    }

    @Test func callWithUpgradeIsRefusedAndTheConnectionStaysVarlink() throws {
        peer.write(echo("a", mode: .upgrade))
        peer.write(VarlinkCall("org.example.test.Do", mode: .upgrade))
        peer.write(echo("b"))

        let service = "org.varlink.service"
        #expect(
            try fixture.receive(3, peer) == [
                #"{"error":"\#(service).MethodNotImplemented","parameters":{"method":"org.example.test.Echo"}}"#,
                #"{"error":"\#(service).MethodNotFound","parameters":{"method":"org.example.test.Do"}}"#,
                #"{"parameters":{"text":"b"}}"#,
            ])
        #expect(fixture.calls == ["b"])
    }

    @Test func storedRequestKeepsItsParameters() throws {
        peer.write(#"{"method":"org.example.test.Wait","org.example.x":1,"parameters":{"text":"a"}}"#)
        try fixture.turn { fixture.waiting.count == 1 }
        let other = try fixture.peer()
        for _ in 0..<100 { other.write(echo("b")) }
        #expect(try fixture.receive(100, other).count == 100)

        #expect(fixture.waiting[0].parameters == ["text": "a"])
        fixture.waiting.removeAll()
        #expect(try fixture.receive(1, peer) == [#"{"error":"io.belfry.Varlink.InternalError"}"#])
    }

    @Test func serviceDescribesItself() throws {
        peer.write(VarlinkCall("org.varlink.service.GetInfo"))
        peer.write(
            VarlinkCall("org.varlink.service.GetInterfaceDescription", ["interface": "org.example.test"]))
        peer.write(VarlinkCall("org.varlink.service.GetInterfaceDescription", ["interface": "org.varlink.service"]))
        let replies = try fixture.receive(3, peer).map { try VarlinkReply(message: ArraySlice($0.utf8)).parameters }

        #expect(
            replies[0] == [
                "vendor": "Example", "product": "Test", "version": "1", "url": "https://example.org",
                "interfaces": ["org.varlink.service", "org.example.test"],
            ])
        #expect(replies[1] == ["description": .string(ServerFixture.description)])
        let text = replies[2]["description"]?.stringValue ?? ""
        #expect(try VarlinkInterfaceDescription(text).name == "org.varlink.service")
    }

    @Test(
        arguments: [
            (VarlinkCall("Nothing"), "InterfaceNotFound", ["interface": "Nothing"]),
            (VarlinkCall("org.example.none.Do"), "InterfaceNotFound", ["interface": "org.example.none"]),
            (VarlinkCall("org.example.test.Do"), "MethodNotFound", ["method": "org.example.test.Do"]),
            (VarlinkCall("org.example.test.Missing"), "MethodNotImplemented", ["method": "org.example.test.Missing"]),
            (VarlinkCall("org.example.test.Count", ["to": 1]), "ExpectedMore", [:]),
            (VarlinkCall("org.example.test.Count", mode: .more), "InvalidParameter", ["parameter": "to"]),
            (VarlinkCall("org.example.test.Count", ["to": "1"], mode: .more), "InvalidParameter", ["parameter": "to"]),
            (VarlinkCall("org.example.test.Echo", ["x": 1]), "InvalidParameter", ["parameter": "x"]),
            (VarlinkCall("org.example.test.Echo", ["point": [:]]), "InvalidParameter", ["parameter": "point.x"]),
            (
                VarlinkCall("org.varlink.service.GetInterfaceDescription"), "InvalidParameter",
                ["parameter": "interface"]
            ),
            (
                VarlinkCall("org.varlink.service.GetInterfaceDescription", ["interface": "a.b"]), "InterfaceNotFound",
                ["interface": "a.b"]
            ),
        ] as [(VarlinkCall, String, JSONObject)])
    func invalidCallGetsItsError(call: VarlinkCall, name: String, parameters: JSONObject) throws {
        peer.write(call)
        peer.write(echo("after"))
        let replies = try fixture.receive(2, peer).map { try VarlinkReply(message: ArraySlice($0.utf8)) }

        #expect(replies[0] == VarlinkReply(error: "org.varlink.service.\(name)", parameters))
        #expect(replies[1].parameters["text"] == "after")
    }

    @Test func pipelinedCallsAreAnsweredInOrder() throws {
        peer.write((0..<500).flatMap { echo("\($0)").message.array })

        #expect(try fixture.receive(500, peer) == (0..<500).map { #"{"parameters":{"text":"\#($0)"}}"# })
    }

    @Test func laterCallsWaitForAnEarlierOne() throws {
        peer.write(VarlinkCall("org.example.test.Wait"))
        peer.write(echo("later"))
        try fixture.turn { fixture.waiting.count == 1 }
        try fixture.loop.turnWithoutWaiting()
        peer.read()
        #expect(peer.received.isEmpty && fixture.calls.isEmpty)
        fixture.waiting[0].reply(["turn": 1])

        #expect(try fixture.receive(2, peer) == [#"{"parameters":{"turn":1}}"#, #"{"parameters":{"text":"later"}}"#])
    }

    @Test func moreGetsRepliesThatContinueAndALastOne() throws {
        peer.write(VarlinkCall("org.example.test.Count", ["to": 3], mode: .more))
        peer.write(VarlinkCall("org.example.test.Count", ["to": -1], mode: .more))

        #expect(
            try fixture.receive(4, peer) == [
                #"{"parameters":{"number":1},"continues":true}"#, #"{"parameters":{"number":2},"continues":true}"#,
                #"{"parameters":{"number":3}}"#,
                #"{"error":"org.example.test.Refused","parameters":{"why":"negative"}}"#,
            ])
    }

    @Test func onewayGetsNoReplyAndNoError() throws {
        peer.write(echo("silent", mode: .oneway))
        peer.write(VarlinkCall("org.example.none.Do", mode: .oneway))
        peer.write(VarlinkCall("org.example.test.Forget", mode: .oneway))
        peer.write(echo("loud"))

        #expect(try fixture.receive(1, peer) == [#"{"parameters":{"text":"loud"}}"#])
        #expect(fixture.calls == ["silent", "loud"])
    }

    @Test func continuingWithoutMoreIsAnError() throws {
        peer.write(VarlinkCall("org.example.test.Wait"))
        try fixture.turn { fixture.waiting.count == 1 }
        fixture.waiting[0].reply(["turn": 1], continues: true)

        #expect(try fixture.receive(1, peer) == [#"{"error":"org.varlink.service.ExpectedMore"}"#])
        #expect(!fixture.waiting[0].isActive)
    }

    @Test func droppedRequestIsAnsweredWithAnError() throws {
        peer.write(VarlinkCall("org.example.test.Forget"))
        peer.write(echo("next"))

        #expect(
            try fixture.receive(2, peer) == [
                #"{"error":"io.belfry.Varlink.InternalError"}"#, #"{"parameters":{"text":"next"}}"#,
            ])
        #expect(fixture.problems.map(\.kind) == [.unanswered(method: "org.example.test.Forget")])
    }

    @Test func onlyTheFirstFinalReplyIsSent() throws {
        peer.write(VarlinkCall("org.example.test.Wait"))
        try fixture.turn { fixture.waiting.count == 1 }
        fixture.waiting[0].reply(["turn": 1])
        fixture.waiting[0].reply(["turn": 2])
        fixture.waiting[0].fail(.permissionDenied)
        peer.write(echo("end"))

        #expect(try fixture.receive(2, peer) == [#"{"parameters":{"turn":1}}"#, #"{"parameters":{"text":"end"}}"#])
    }

    @Test func disconnectingClientCancelsItsCall() throws {
        var cancelled = 0

        peer.write(VarlinkCall("org.example.test.Wait", mode: .more))
        try fixture.turn { fixture.waiting.count == 1 }
        fixture.waiting[0].onCancel = { cancelled += 1 }
        peer.close()
        try fixture.turn { cancelled > 0 }
        fixture.waiting[0].reply(["turn": 1], continues: true)
        fixture.waiting[0].reply(["turn": 1])

        #expect(cancelled == 1 && !fixture.waiting[0].isActive)
        #expect(fixture.server.connectionCount == 0)
        #expect(fixture.problems.isEmpty)
    }

    @Test func callsSentBeforeDisconnectingAreHandled() throws {
        peer.write(VarlinkCall("org.example.test.Wait"))
        for number in 0..<3 { peer.write(echo("\(number)", mode: .oneway)) }
        peer.close()
        try fixture.turn { fixture.server.connectionCount == 0 && fixture.calls.count == 3 }

        #expect(fixture.calls == ["0", "1", "2"])
    }

    @Test func clientThatStopsWritingGetsItsReplies() throws {
        peer.write(VarlinkCall("org.example.test.Wait"))
        peer.write(echo("last"))
        peer.stopWriting()
        try fixture.turn { fixture.waiting.count == 1 }
        fixture.waiting[0].reply(["turn": 1])
        try fixture.waitForEnd(peer)

        #expect(peer.received == [#"{"parameters":{"turn":1}}"#, #"{"parameters":{"text":"last"}}"#])
        #expect(fixture.problems.isEmpty)
    }

    @Test func onewayCallsGoOnWhenTheirClientIsGone() throws {
        let calls = (0..<3).map { _ in VarlinkCall("org.example.test.Wait", mode: .oneway).message.array }
        peer.write(calls.joined())
        peer.close()

        for number in 1...3 {
            try fixture.turn { fixture.waiting.count == number }
            for _ in 0..<3 { try fixture.loop.turnWithoutWaiting() }
            #expect(fixture.waiting.count == number && fixture.waiting[number - 1].isActive)
            fixture.waiting[number - 1].reply()
        }

        try fixture.turn { fixture.server.connectionCount == 0 }
    }

    @Test func closedServerReleasesAConnectionThatHasSomethingToWrite() throws {
        final class Kept { var request: VarlinkRequest? }
        weak var kept: Kept?
        do {
            let made = Kept()
            kept = made
            let info = VarlinkServiceInfo(vendor: "", product: "", version: "", url: "")
            let server = try VarlinkServer(info, on: fixture.loop) { _ in withExtendedLifetime(made) {} }
            try server.add(
                VarlinkInterface(
                    "interface org.example.other\nmethod Wait() -> ()",
                    methods: ["Wait": { [unowned made] in made.request = $0 }]))
            let path = fixture.directory.path("other")
            try server.listen(on: path)
            let peer = try Peer(path)
            peer.write(VarlinkCall("org.example.other.Wait", mode: .more))
            try fixture.turn { made.request != nil }
            made.request?.reply([:], continues: true)
            #expect(made.request?.queuedReplies == 1)
            made.request = nil
        }

        #expect(kept == nil)
    }

    @Test func peerHasTheCredentialsOfTheKernel() throws {
        peer.write(VarlinkCall("org.example.test.Wait"))
        try fixture.turn { fixture.waiting.count == 1 }
        let seen = fixture.waiting[0].peer

        #expect(seen.pid == getpid() && seen.uid == getuid() && seen.gid == getgid())
        #expect(seen.isMember(of: getgid()))
        #expect(!seen.isKnown)
    }

    @Test(arguments: [true, false])
    func theServerDecidesWhomItKnows(isMember: Bool) throws {
        let info = VarlinkServiceInfo(vendor: "", product: "", version: "", url: "")
        let server = try VarlinkServer(info, on: fixture.loop, isMember: { $0.pid == getpid() && isMember })
        var isKnown: Bool?
        try server.add(
            VarlinkInterface(
                "interface org.example.other\nmethod Look() -> ()",
                methods: [
                    "Look": { request in
                        isKnown = request.peer.isKnown
                        request.reply()
                    }
                ]))
        let path = fixture.directory.path("other")
        try server.listen(on: path)
        let peer = try Peer(path)
        peer.write(VarlinkCall("org.example.other.Look"))
        try fixture.turn { isKnown != nil }

        #expect(isKnown == isMember)
        server.close()
    }
}
