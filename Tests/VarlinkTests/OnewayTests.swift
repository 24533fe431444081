// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import EventLoop
import Testing
import Varlink

/// Calls without an answer that are taken right from the message.
@Suite(.timeLimit(.minutes(1)))
struct OnewayTests {
    private let fixture: ServerFixture
    private let taken = Taken()

    private final class Taken {
        var ways: [String] = []
    }

    init() throws {
        fixture = try ServerFixture()
        let taken = taken
        let interface = try VarlinkInterface(
            """
            interface org.example.notes
            method Note(text: string, mark: ?int) -> ()
            method Other() -> ()
            """,
            methods: [
                "Note": {
                    taken.ways.append("usual \($0.parameters["text"]?.stringValue ?? "")")
                    $0.reply()
                },
                "Other": {
                    taken.ways.append("other")
                    $0.reply()
                },
            ],
            oneway: [
                "Note": VarlinkOnewayHandler { message, parameters, _ in
                    let text = String(decoding: message[parameters], as: UTF8.self)
                    guard text.hasPrefix("{\"text\":\"q"), text.hasSuffix("\"}") else { return false }
                    taken.ways.append("quick \(text)")
                    return true
                }
            ])
        fixture.server.add(interface)
    }

    private func ways(_ messages: [String]) throws -> [String] {
        let peer = try fixture.peer()
        for message in messages { peer.write(message) }
        peer.write(VarlinkCall("org.example.test.Echo"))
        _ = try fixture.receive(1, peer)
        return taken.ways
    }

    private static func note(_ parameters: String) -> String {
        #"{"method":"org.example.notes.Note","oneway":true,"parameters":"# + parameters + "}"
    }

    @Test func callWrittenLikeTheLastIsTakenFromTheMessage() throws {
        let ways = try ways(["1", "q2", "q3", "4", "q5"].map { Self.note(#"{"text":"\#($0)"}"#) })

        // The first is needed to know the method, the second to know how it is written.
        #expect(ways == ["usual 1", "usual q2", #"quick {"text":"q3"}"#, "usual 4", #"quick {"text":"q5"}"#])
    }

    @Test(
        arguments: [
            #" {"method":"org.example.notes.Note","oneway":true,"parameters":{"text":"q"}}"#,
            #"{"method":"org.example.notes.Note","oneway":true,"parameters":{"text":"q"} }"#,
            #"{"method":"org.example.notes.Note","oneway":true,"parameters":{"text":"q"},"org.example.x":1}"#,
            #"{"method":"org.example.notes.Note","parameters":{"text":"q"},"oneway":true}"#,
        ])
    func callWrittenOtherwiseGoesTheUsualWay(message: String) throws {
        let known = [Self.note(#"{"text":"a"}"#), Self.note(#"{"text":"b"}"#)]

        #expect(try ways(known + [message]) == ["usual a", "usual b", "usual q"])
    }

    @Test func callThatWantsAnAnswerGetsOne() throws {
        let peer = try fixture.peer()
        for text in ["a", "b"] { peer.write(Self.note(#"{"text":"\#(text)"}"#)) }
        peer.write(#"{"method":"org.example.notes.Note","parameters":{"text":"q"}}"#)

        #expect(try fixture.receive(1, peer) == ["{}"])
        #expect(taken.ways == ["usual a", "usual b", "usual q"])
    }

    @Test func othersAreNotTakenForTheLast() throws {
        let other = #"{"method":"org.example.notes.Other","oneway":true,"parameters":{}}"#
        let all = ["a", "b", "q"].map { Self.note(#"{"text":"\#($0)"}"#) } + [other, other]

        let ways = try ways(all + all)

        #expect(ways[..<5] == ["usual a", "usual b", #"quick {"text":"q"}"#, "other", "other"])
        #expect(ways[5...] == ways[..<5])
    }

    @Test(arguments: [#"{"text":1}"#, #"{"x":"q"}"#, "{}"])
    func wrongParametersAreNotTaken(parameters: String) throws {
        let known = [Self.note(#"{"text":"a"}"#), Self.note(#"{"text":"b"}"#)]

        #expect(try ways(known + [Self.note(parameters)]) == ["usual a", "usual b"])
    }

    @Test func whatIsNoCallEndsTheConnection() throws {
        let peer = try fixture.peer()
        for parameters in [#"{"text":"a"}"#, #"{"text":"b"}"#, "1"] { peer.write(Self.note(parameters)) }

        try fixture.waitForEnd(peer)

        #expect(fixture.problems.map(\.kind) == [.protocolViolation(.wrongType("parameters"))])
        #expect(taken.ways == ["usual a", "usual b"])
    }
}
