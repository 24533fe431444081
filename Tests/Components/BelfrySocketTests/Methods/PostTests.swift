// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryEventLoop
import Lifecycle
import BelfryListeners
import BelfrySocket
import TestSupport
import Testing
import Varlink

/// The user info of an unconfirmed post is passed on unparsed.
@Suite(.timeLimit(.minutes(1)))
struct PostTests {
    private let fixture: SocketFixture

    init() throws { fixture = try SocketFixture() }

    private func post(_ name: String, _ userInfo: JSONValue) {
        fixture.client.oneway("io.belfry.Lifecycle.Post", ["name": .string(name), "userInfo": userInfo])
    }

    @Test(
        arguments: [
            ([:], "{}"), (["a": 1], #"{"a":1}"#), (["payload": "~ x"], #"{"payload":"~ x"}"#),
            (["a": 1, "b": ["c": [1, .null, true, "x"]]], #"{"a":1,"b":{"c":[1,null,true,"x"]}}"#),
            (["b": 1, "a": 2], #"{"b":1,"a":2}"#), (["a": ["z": 1, "y": 2]], #"{"a":{"z":1,"y":2}}"#),
            (["a": 1.5], #"{"a":1.5}"#), (["a": "é\n"], #"{"a":"é\n"}"#),
        ] as [(JSONValue, String)])
    func userInfoArrivesUnchanged(posted: JSONValue, text: String) throws {
        let subscriber = try fixture.subscribe()
        var seen: [UserInfo] = []
        let observation = fixture.mediator.addObserver { seen.append($0.userInfo) }
        defer { observation.cancel() }

        for name in ["x", "x", "x", "y", "y"] { post(name, posted) }
        try fixture.turn { subscriber.replies.count == 6 }

        let received = subscriber.replies.dropFirst().map { $0["notification"] }
        #expect(received.map { $0?["name"] } == ["x", "x", "x", "y", "y"])
        #expect(received.map { $0?["userInfo"]?.description } == Array(repeating: text, count: 5))
        #expect(received.map { $0?["sequence"] } == [4, 5, 6, 7, 8])
        #expect(seen == Array(repeating: posted.objectValue ?? [:], count: 5))
    }

    @Test func messageOfAnotherProgramIsPostedWithTheStateOfTheService() throws {
        var received: [ReceivedNotification] = []
        let observation = fixture.mediator.addObserver(of: ReceivedNotification.self) { received.append($0) }
        defer { observation.cancel() }
        let message: JSONObject = ["name": "mail", "userInfo": ["id": 7], "foreground": "maybe"]

        for _ in 0..<2 {
            let reply = try fixture.call(
                "Post", ["name": "didReceiveNotification", "userInfo": .object(message), "wait": true]
            ).get()
            #expect(reply["result"] == "noData")
            fixture.mediator.perform(.pause)
        }

        #expect(received.map(\.isInForeground) == [true, false])
        #expect(received.first?.message == "mail" && received.first?.content == ["id": 7])
        let unnamed: JSONObject = ["foreground": true]
        #expect(
            try fixture.call("Post", ["name": "didReceiveNotification", "userInfo": .object(unnamed)])
                == .failure(.invalidParameter("userInfo")))
    }

    @Test func reservedNameIsNotPosted() throws {
        for _ in 0..<3 { post("x", [:]) }
        for name in ["willTerminate", "1", "", "a b"] { post(name, [:]) }

        #expect(try fixture.call("GetState").get()["sequence"] == 6)
    }

    @Test func waitingPostWithMoreGetsProgress() throws {
        let attached = try fixture.attach(["com.example.rotate"])
        let poster = try fixture.more("Post", ["name": "com.example.rotate", "wait": true])
        try fixture.turn { attached.replies.count == 2 }
        let token = attached.replies.last?["token"] ?? ""

        _ = try fixture.call("Progress", ["token": token, "text": "half"]).get()
        try fixture.turn { poster.replies.count == 1 }
        #expect(!poster.isOver)
        _ = try fixture.call("Answer", ["token": token, "outcome": "completed"]).get()
        try fixture.turn { poster.isOver }

        let (first, last) = (poster.replies[0], poster.replies[1])
        #expect(first["result"] == "running" && first["sequence"] == last["sequence"])
        let report = first["reports"]?.arrayValue?.first?.objectValue
        #expect(report?["listener"] == "guard" && report?["outcome"] == "running" && report?["reason"] == "half")
        #expect(last["result"] == "noData" && poster.replies.count == 2)
    }

    @Test func onewayPostsArriveThoughTheirClientIsGone() throws {
        let slow = try fixture.attach(["x"])
        let client = try fixture.connect()

        for _ in 0..<400 { client.oneway("io.belfry.Lifecycle.Post", ["name": "x"]) }
        client.flush()
        client.close()
        try fixture.turn { fixture.mediator.lastSequence == 3 + 256 }
        // The first ones are answered.
        slow.vanish()

        try fixture.turn { fixture.mediator.lastSequence == 3 + 400 }
    }
}
