// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

@testable import BelfryJSON
import Testing
import Varlink

struct VarlinkMessageTests {
    @Test(
        arguments: [
            (#"{"method":"a.b.C"}"#, VarlinkCall("a.b.C")),
            (#" { "method" : "a.b.C" , "parameters" : null } "#, VarlinkCall("a.b.C")),
            (#"{"method":"a.b.C","parameters":{}}"#, VarlinkCall("a.b.C")),
            (#"{"parameters":{"x":1},"method":"a.b.C"}"#, VarlinkCall("a.b.C", ["x": 1])),
            (#"{"method":"a.b.C","oneway":true}"#, VarlinkCall("a.b.C", mode: .oneway)),
            (#"{"method":"a.b.C","more":true,"oneway":false,"upgrade":null}"#, VarlinkCall("a.b.C", mode: .more)),
            (#"{"method":"a.b.C","upgrade":true}"#, VarlinkCall("a.b.C", mode: .upgrade)),
        ] as [(String, VarlinkCall)])
    func callIsRead(text: String, call: VarlinkCall) throws {
        #expect(try VarlinkCall(message: ArraySlice(text.utf8)) == call)
        #expect(try VarlinkCall(message: call.message.array.dropLast()) == call)
    }

    @Test func fieldsWithADotAreIgnored() throws {
        let call = #"{"a.b":[{"c":1}],"method":"a.b.C","org.example":{"method":"x"},"parameters":{"x":1},".":null}"#
        let reply = #"{"org.example":{"error":"a.b.C"},"parameters":{"x":1},"a.b":[[]]}"#

        #expect(try VarlinkCall(message: ArraySlice(call.utf8)) == VarlinkCall("a.b.C", ["x": 1]))
        #expect(try VarlinkReply(message: ArraySlice(reply.utf8)) == VarlinkReply(["x": 1]))
    }

    @Test(arguments: [
        "{}": VarlinkProtocolError.missingMethod,
        #"{"parameters":{}}"#: .missingMethod,
        #"{"method":null}"#: .wrongType("method"),
        #"{"method":1}"#: .wrongType("method"),
        #"{"method":"a.b.C","parameters":[]}"#: .wrongType("parameters"),
        #"{"method":"a.b.C","more":1}"#: .wrongType("more"),
        #"{"method":"a.b.C","oneway":"true"}"#: .wrongType("oneway"),
        #"{"method":"a.b.C","upgrade":{}}"#: .wrongType("upgrade"),
        #"{"method":"a.b.C","more":true,"oneway":true}"#: .conflictingFlags,
        #"{"method":"a.b.C","more":true,"upgrade":true}"#: .conflictingFlags,
        #"{"method":"a.b.C","x":1}"#: .unknownField("x"),
        #"{"method":"a.b.C","method":"a.b.D"}"#: .notJSON(JSONParseError(reason: .duplicateName, offset: 18)),
        #"{"method":"a.b.C","parameters":{"x":1,"\u0078":2}}"#: .notJSON(
            JSONParseError(reason: .duplicateName, offset: 38)),
        #"{"method":"a.b.C","continues":true}"#: .unknownField("continues"),
        #"{"method":"a.b.C","error":"x.y"}"#: .unknownField("error"),
    ])
    func malformedCallIsRefused(text: String, error: VarlinkProtocolError) {
        #expect(throws: error) { try VarlinkCall(message: ArraySlice(text.utf8)) }
    }

    @Test(arguments: [
        "", "x", "[]", "1", "{} {}", #"{"method":"a.b.C""#, #"{"method":"a.b.C",}"#, #"{"method":"a.b.C","x.y":[}"#,
        #"{"method":"a.b.C","x.y":{"a":1,"a":2}}"#, #"{"method":"a.b.C","x.y":1,"x.y":2}"#,
    ])
    func callThatIsNoObjectIsRefused(text: String) {
        #expect { try VarlinkCall(message: ArraySlice(text.utf8)) } throws: {
            if case .notJSON = $0 as? VarlinkProtocolError { true } else { false }
        }
    }

    @Test(arguments: [
        VarlinkReply(), VarlinkReply(["a": 1]), VarlinkReply(["a": 1], continues: true), VarlinkReply(error: "a.b.C"),
        VarlinkReply(error: "a.b.C", ["why": "no"]), VarlinkReply([:], continues: true),
    ])
    func replyReadsAsItWasWritten(reply: VarlinkReply) throws {
        #expect(try VarlinkReply(message: reply.message.array.dropLast()) == reply)
        #expect(reply.message.array.last == 0)
    }

    @Test(
        arguments: [
            (#"{"error":"a.b.C","continues":true}"#, VarlinkProtocolError.unexpectedContinues),
            (#"{"method":"a.b.C"}"#, .unknownField("method")), (#"{"continues":1}"#, .wrongType("continues")),
            (#"{"error":true}"#, .wrongType("error")), (#"{"x":true}"#, .unknownField("x")),
        ] as [(String, VarlinkProtocolError)])
    func malformedReplyIsRefused(text: String, error: VarlinkProtocolError) {
        #expect(throws: error) { try VarlinkReply(message: ArraySlice(text.utf8)) }
    }

    @Test func parametersOfAReplyMayBeAbsent() throws {
        #expect(try VarlinkReply(message: ArraySlice("{}".utf8)) == VarlinkReply())
        #expect(try VarlinkReply(message: ArraySlice(#"{"parameters":null}"#.utf8)) == VarlinkReply())
    }
}
