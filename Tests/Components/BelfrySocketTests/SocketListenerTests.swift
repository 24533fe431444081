// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryConfiguration
import BelfryEventLoop
import Lifecycle
import BelfryListeners
import BelfrySocket
import LifecycleTesting
import TestSupport
import Testing
import Varlink

@Suite(.timeLimit(.minutes(1)))
struct SocketListenerTests {
    let fixture: SocketFixture
    private let lifecycle = "io.belfry.Lifecycle."

    init() throws {
        fixture = try SocketFixture { $0.replayMax = 16 }
    }

    private var mediator: LifecycleMediator { fixture.mediator }

    private func call(_ method: String, _ parameters: JSONObject = [:]) throws -> SocketFixture.Answer {
        try fixture.call(method, parameters)
    }

    private func turn(until condition: () -> Bool) throws { try fixture.turn(until: condition) }

    @Test func stateIsReturned() throws {
        let state = try call("GetState").get()

        #expect(state["state"] == "active")
        #expect(state["sequence"] == 3)
        #expect(state["service"] == "test")
        #expect(state["bootId"] == "b007")
    }

    /// Descriptions are parsed at the first call.
    @Test func everyMethodOfTheDescriptionIsAnswered() throws {
        let interface = "io.belfry.Lifecycle"
        let reply = try call("org.varlink.service.GetInterfaceDescription", ["interface": .string(interface)]).get()
        let description = try VarlinkInterfaceDescription(#require(reply["description"]?.stringValue))

        #expect(description.name == interface && !description.methods.isEmpty)
        for method in description.methods.keys.sorted() {
            var error: String?
            if case .failure(.failed(let name, _)) = try call("\(interface).\(method)", ["none": 1]) { error = name }
            #expect(error == "org.varlink.service.InvalidParameter", "\(method)")
        }
    }

    @Test func everyActionOfASignalIsDescribed() throws {
        let parameters: JSONObject = ["interface": "io.belfry.Lifecycle"]
        let reply = try call("org.varlink.service.GetInterfaceDescription", parameters).get()

        let text = try #require(reply["description"]?.stringValue)
        let comment = try #require(text.split(separator: "\n").first { $0.contains("# stop, stopNow") })
        for name in SignalAction.names { #expect(comment.contains(" \(name),"), "\(name)") }
    }

    @Test func subscriberGetsTheStateAndThenNotifications() throws {
        let subscriber = try fixture.subscribe()

        mediator.perform(.pause)
        try turn { subscriber.notifications.count == 2 }

        #expect(subscriber.replies[0]["state"]?["state"] == "active")
        #expect(subscriber.notifications.map { $0["sequence"] } == [4, 5])
        #expect(subscriber.notifications[0]["name"] == "willResignActive")
        #expect(subscriber.notifications[0]["origin"] == ["kind": "service"])
    }

    /// Notifications of one turn share the encoding of equal fields only.
    @Test func notificationsOfOneTurnAreEncodedSeparately() throws {
        let subscriber = try fixture.subscribe()
        let peer = LifecycleOrigin.peer(PeerOrigin(pid: 7, uid: 8, loginUID: 9, unit: "a\"b.service"))

        mediator.post(.flushRequested)
        mediator.post(.flushRequested, userInfo: ["b": ["x": [1, .null]], "a": "\n"], origin: peer)
        mediator.post(.statusRequested, origin: peer)
        mediator.perform(.pause, origin: peer)
        try turn { subscriber.notifications.count == 5 }
        let received = subscriber.notifications.compactMap(\.objectValue)

        #expect(
            received.map { $0["name"]?.stringValue } == [
                "flushRequested", "flushRequested", "statusRequested", "willResignActive", "didEnterBackground",
            ])
        let origin: JSONValue = ["kind": "socket", "pid": 7, "uid": 8, "loginUid": 9, "unit": "a\"b.service"]
        #expect(received.map { $0["origin"] } == [["kind": "service"], origin, origin, origin, origin])
        #expect(received.map { $0["state"] } == ["active", "active", "active", "inactive", "background"])
        #expect(received.map { $0["previousState"] } == ["active", "active", "active", "active", "inactive"])
        #expect(received[1]["userInfo"] == ["a": "\n", "b": ["x": [1, .null]]] && received[2]["userInfo"] == [:])
        let order = [
            "sequence", "name", "state", "previousState", "bootId", "origin", "trigger", "realtimeUsec",
            "monotonicUsec", "userInfo",
        ]
        #expect(received[4].keys == order && received[0].keys == order.filter { $0 != "trigger" })
        #expect(received.map { $0["trigger"] } == [nil, nil, nil, "pause", "pause"])
    }

    /// They share everything else.
    @Test func notificationsOfDifferentTimesHaveTheirOwn() throws {
        let subscriber = try fixture.subscribe()

        let first = fixture.clock.now
        mediator.post(.flushRequested)
        fixture.clock.advance(by: .seconds(3))
        mediator.post(.flushRequested)
        try turn { subscriber.notifications.count == 2 }
        let times = subscriber.notifications.flatMap { notification in
            ["realtimeUsec", "monotonicUsec"].compactMap { notification[$0]?.intValue }
        }

        #expect(times[..<2] == [Int64(first.realtimeUsec), Int64(first.monotonicUsec)])
        #expect(times[2...] == [times[0] + 3_000_000, times[1] + 3_000_000])
    }

    @Test func subscriberGetsMissedNotifications() throws {
        let subscriber = try fixture.more(
            "Subscribe", ["after": 1, "names": ["didBecomeActive", "flushRequested"]])
        try turn { subscriber.notifications.count == 1 }
        mediator.post(.flushRequested)
        try turn { subscriber.notifications.count == 2 }

        #expect(subscriber.notifications.map { $0["name"] } == ["didBecomeActive", "flushRequested"])
    }

    @Test(
        arguments: ["no name", ""]
            + LifecycleNotification.Name.catalogue.map(\.rawValue).filter {
                !["flushRequested", "statusRequested", "performFetch", "didReceiveNotification"].contains($0)
            })
    func namesThatCannotBePostedAreRefused(name: String) throws {
        let before = mediator.lastSequence

        let answer = try call("Post", ["name": .string(name)])

        guard case .failure(.failed(lifecycle + "InvalidName", let parameters)) = answer else {
            Issue.record("\(answer)")
            return
        }
        #expect(parameters["name"] == .string(name) && parameters["reason"]?.stringValue != nil)
        #expect(mediator.lastSequence == before)
    }

    @Test func eventOfTheSystemIsSimulatedAndTheRefusedPostSaysSo() throws {
        let listener = RecordingListener("listener", [.didReceiveMemoryWarning])
        try mediator.addListener(listener)

        let refusal = try call("Post", ["name": "didReceiveMemoryWarning"])
        let reply = try call("Simulate", ["name": "didReceiveMemoryWarning", "userInfo": ["level": "full", "x": 1]])
            .get()

        let reason: JSONValue = "only the system causes it; try it with 'belfryctl simulate'"
        let parameters: JSONObject = ["name": "didReceiveMemoryWarning", "reason": reason]
        #expect(refusal == .failure(.failed(name: lifecycle + "InvalidName", parameters: parameters)))
        let received = try #require(listener.received.first)
        #expect(received.userInfo == ["level": "full", "x": 1, "simulated": true] && received.isSimulated)
        #expect(reply["reports"]?.arrayValue?.first?["outcome"] == "completed")
        guard case .peer = received.origin else { return #expect(Bool(false), "\(received.origin)") }
    }

    @Test(
        arguments: [
            ("didReceiveMemoryWarning", ["level": "some", "simulated": true]),
            ("significantTimeChange", ["cause": "clock", "stepUsec": 3_600_000_000, "simulated": true]),
            ("powerFailing", ["simulated": true]),
        ] as [(String, UserInfo)])
    func simulationHasTheUserInfoThatHandlersRead(name: String, userInfo: UserInfo) throws {
        var received: [UserInfo] = []
        let observation = mediator.addObserver { received.append($0.userInfo) }

        _ = try call("Simulate", ["name": .string(name)]).get()

        #expect(received == [userInfo])
        observation.cancel()
    }

    @Test(
        arguments: [
            ("flushRequested", [:], "InvalidName"), ("willSleep", [:], "InvalidName"),
            ("com.example.x", [:], "InvalidName"),
            ("willTerminate", [:], "InvalidName"), ("no name", [:], "InvalidName"),
            ("didReceiveMemoryWarning", ["level": "high"], "InvalidParameter"),
            ("protectedDataDidBecomeAvailable", [:], "InvalidParameter"),
        ] as [(String, JSONObject, String)])
    func whatTheSystemDoesNotCauseIsNotSimulated(name: String, userInfo: JSONObject, error: String) throws {
        let before = mediator.lastSequence

        let answer = try call("Simulate", ["name": .string(name), "userInfo": .object(userInfo)])

        guard case .failure(.failed(let name, _)) = answer else { return #expect(Bool(false), "\(answer)") }
        #expect(name.hasSuffix(".\(error)") && mediator.lastSequence == before)
    }

    @Test func pauseAndResumeAnswerWhenDone() throws {
        #expect(try call("Pause").get() == ["state": "background", "reports": []])
        #expect(try call("Resume").get() == ["state": "active", "reports": []])
        #expect(try call("Interrupt").get() == ["state": "inactive", "reports": []])
    }

    @Test func reloadChangesHowManyNotificationsAreRetained() throws {
        let fixture = try SocketFixture { $0.replayMax = 600 }
        var settings = BelfrySettings.defaults
        fixture.readOnReload(settings)
        settings.socket.replayMax = 2000
        fixture.mediator.perform(.reload)
        for _ in 0..<1500 { fixture.mediator.post(.flushRequested) }

        let replay = try fixture.more("Subscribe", ["after": 5])
        try fixture.turn { replay.replies.count == 1501 || replay.isOver }
        let last = replay.replies.last?["notification"]?["sequence"]
        settings.socket.replayMax = 600
        fixture.mediator.perform(.reload)
        let refused = try fixture.more("Subscribe", ["after": 5])
        try fixture.turn { refused.isOver }

        #expect(last == 1505)
        #expect(refused.errorParameters == ["oldest": 908])
    }

    @Test func reloadChangesTheLimits() throws {
        var settings = BelfrySettings.defaults
        settings.socket.connectionsPerUserMax = 2
        fixture.readOnReload(settings)
        #expect(try call("Reload") == .success(["reports": []]))

        let second = try fixture.connect()
        let third = try fixture.connect()
        try turn { third.isClosed }

        #expect(!second.isClosed)
        #expect(try call("GetState").get()["state"] == "active")
    }
}
