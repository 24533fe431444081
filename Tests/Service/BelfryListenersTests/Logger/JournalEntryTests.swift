// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryListeners
import BelfrySystemd
import Lifecycle
import LifecycleTesting
import TestSupport
import Testing

/// What a record has besides the notification.
struct JournalEntryTests {
    let writer = RecordingWriter()
    let mediator: LifecycleMediator
    let logger: LoggerListener

    init() throws {
        var configuration = LifecycleConfiguration()
        configuration[LoggerSettings.self] = LoggerSettings()
        mediator = LifecycleMediator(clock: ManualClock(), configuration: configuration)
        logger = LoggerListener(mediator: mediator, log: ServiceLog { [writer] _ in writer })
        try mediator.addListener(logger)
        logger.begin()
    }

    struct Request: LifecycleEvent, Codable {
        var path: String
    }

    struct Told: LifecycleEvent, Codable {
        var number: Int
        var logText: String? { number > 0 ? "number \(number)\nof 200" : nil }
    }

    struct Quiet: LifecycleEvent, Codable {
        static let isLogged = false
    }

    @Test func recordHasTheUserInfoAndTheSenderOfASignal() {
        let kernel = LifecycleOrigin.signal(
            SignalOrigin(number: 2, name: "SIGINT", pid: 0, uid: 0, sender: .kernel))

        mediator.post(.flushRequested, userInfo: ["b": [1, 2.5], "a": "x"], origin: kernel)

        #expect(writer.fields(0)["BELFRY_USER_INFO"] == #"{"b":[1,2.5],"a":"x"}"#)
        #expect(writer.fields(0)["BELFRY_SIGNAL_SENDER"] == "kernel")
    }

    @Test func recordHasTheReasonOfAPause() {
        for trigger in [LifecycleTrigger.launch, .pause] {
            mediator.perform(trigger, userInfo: ["reason": "a\nbackup"])
        }

        #expect(
            writer.records.last?.message
                == "didEnterBackground inactive -> background, the service itself, reason a\\nbackup")
        #expect(writer.fields(writer.records.count - 1)["BELFRY_USER_INFO"] == #"{"reason":"a\nbackup"}"#)
    }

    @Test func recordHasTheListenersOfTheNotification() throws {
        try mediator.addListener(RecordingListener("lamp", [.statusRequested]))

        mediator.post(.statusRequested)
        mediator.post(.didWake)

        #expect(writer.fields(0)["BELFRY_LISTENERS"] == #"["logger","lamp"]"#)
        let woken = try #require(writer.records.indices.last)
        #expect(writer.fields(woken)["BELFRY_NOTIFICATION"] == "didWake")
        #expect(writer.fields(woken)["BELFRY_LISTENERS"] == nil)
    }

    @Test func recordsOfEventsOfOneKindDiffer() {
        mediator.post(Request(path: "/a"))
        mediator.post(Told(number: 7))
        mediator.post(Told(number: 0))
        mediator.post(LifecycleNotification.Name("untyped")!, userInfo: ["key": 1])

        #expect(
            writer.records.map(\.message) == [
                #"Request, the service itself, {"path":"/a"}"#, #"Told, the service itself, number 7\nof 200"#,
                #"Told, the service itself, {"number":0}"#, #"untyped, the service itself, {"key":1}"#,
            ])
        #expect(writer.fields(1)["BELFRY_USER_INFO"] == #"{"number":7}"#)
    }

    @Test func eventThatIsNotLoggedHasNoRecordUnlessAListenerFails() throws {
        mediator.post(Quiet())
        #expect(writer.records.isEmpty)

        try mediator.addListener(RecordingListener("other", [Quiet.name], behavior: .throwing(LifecycleRefusal("no"))))
        mediator.post(Quiet())

        #expect(writer.records.map(\.message) == ["listener 'other' refused Quiet: no"])
    }
}
