// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Lifecycle
import LifecycleTesting
import TestSupport
import Testing

/// An event by `Codable` alone.
struct Uploaded: LifecycleEvent, Codable, Equatable {
    var path: String
    var bytes: Int
}

struct LifecycleEventTests {
    @Test(arguments: [
        TimeChange.clock(step: .milliseconds(-1500)), .timeZone(from: "Europe/Berlin", to: "Asia/Tokyo"),
        .timeZone(from: nil, to: nil), .day,
    ])
    func timeChangeIsEncodedAsUserInfo(change: TimeChange) {
        #expect(TimeChange(userInfo: change.userInfo) == change)
    }

    @Test(arguments: [[:], ["cause": "clock"], ["cause": "clock", "stepUsec": "1"], ["cause": "moon"]] as [UserInfo])
    func invalidTimeChangeIsNotDecoded(userInfo: UserInfo) {
        #expect(TimeChange(userInfo: userInfo) == nil)
    }

    @Test func protectedDataIsEncodedAsUserInfo() {
        let arrival = ProtectedDataArrival(path: "/srv/vault")
        let loss = ProtectedDataLoss(path: "/srv/vault")

        #expect(ProtectedDataArrival(userInfo: arrival.userInfo) == arrival)
        #expect(ProtectedDataLoss(userInfo: loss.userInfo) == loss)
        #expect(ProtectedDataArrival(userInfo: [:]) == nil && ProtectedDataLoss(userInfo: ["path": 1]) == nil)
    }

    @Test func receivedNotificationSaysWhetherTheServiceWasInTheForeground() {
        let mediator = LifecycleMediator(clock: ManualClock())
        var received: [ReceivedNotification] = []
        let observation = mediator.addObserver(of: ReceivedNotification.self) { received.append($0) }
        defer { observation.cancel() }

        for trigger in [LifecycleTrigger.launch, .interrupt, .pause] {
            mediator.perform(trigger)
            mediator.post(mediator.received("mail", ["from": "a@example.com"]))
        }

        #expect(received.map(\.isInForeground) == [true, true, false])
        #expect(received.first == ReceivedNotification("mail", ["from": "a@example.com"], isInForeground: true))
        #expect(ReceivedNotification(userInfo: ["userInfo": [:]]) == nil)
    }

    // MARK: Events by Codable alone

    struct Measured: LifecycleEvent, Codable, Equatable {
        static let name = LifecycleNotification.Name("com.example.measured")!
        var value: Double?
        var parts: [String: [Part]] = [:]
        var logText: String? { "\(value ?? 0) degrees" }

        struct Part: Codable, Equatable {
            var at: Int
        }
    }

    struct Endless: LifecycleEvent, Encodable {
        init() {}
        init?(userInfo: UserInfo) { return nil }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.unkeyedContainer()
            try container.encode(self)
        }
    }

    enum Door: String, LifecycleEvent, Codable { case open }

    @Test func codableTypeIsAnEvent() {
        let uploaded = Uploaded(path: "/srv/a", bytes: 3)
        let measured = Measured(value: 1.5, parts: ["a": [Measured.Part(at: 1)]])

        #expect(Uploaded.name.rawValue == "Uploaded" && Uploaded.isLogged && uploaded.logText == nil)
        #expect(uploaded.userInfo == ["path": "/srv/a", "bytes": 3])
        #expect(Uploaded(userInfo: uploaded.userInfo) == uploaded)
        #expect(Measured(userInfo: measured.userInfo) == measured)
    }

    @Test(arguments: [[:], ["path": "/a"], ["path": 1, "bytes": 1], ["path": "/a", "bytes": 1.5]] as [UserInfo])
    func userInfoThatDoesNotFitIsNotDecoded(userInfo: UserInfo) { #expect(Uploaded(userInfo: userInfo) == nil) }

    @Test func eventIsPostedObservedAndAnswered() throws {
        let mediator = LifecycleMediator(clock: ManualClock())
        var answered: [Uploaded] = []
        let listener = ClosureListener("uploads") { $0.onEvent(Uploaded.self) { answered.append($0) } }
        try mediator.addListener(listener)
        var observed: [Uploaded] = []
        let observation = mediator.addObserver(of: Uploaded.self) { observed.append($0) }

        mediator.post(Uploaded(path: "/a", bytes: 1))
        mediator.post(Uploaded.name, userInfo: ["path": "/b", "bytes": 2])

        #expect(observed == [Uploaded(path: "/a", bytes: 1), Uploaded(path: "/b", bytes: 2)])
        #expect(answered == observed)
        observation.cancel()
    }

    /// All properties of the type are optional, so that it would fit any object.
    @Test func eventThatCannotBeEncodedSaysSoAndFitsNoType() throws {
        struct Wants: LifecycleEvent, Codable {
            static let name = Measured.name
            var value: Double?
        }
        let mediator = LifecycleMediator(clock: ManualClock())
        try mediator.addListener(ClosureListener("typed") { $0.onEvent(Measured.self) { _ in } })
        var report: LifecycleReport?

        mediator.post(Measured(value: .nan)) { report = $0 }

        let info = try #require(report?.notification.userInfo)
        #expect(info.keys == ["encodingError"])
        #expect(Measured(userInfo: info) == nil && Wants(userInfo: info) == nil)
        #expect(report?.problems.first?.contains("'com.example.measured' could not be encoded: ") == true)
        #expect(Endless().userInfo.keys == ["encodingError"])
        #expect(Door.open.userInfo == ["encodingError": "Door is not encoded as an object"])
    }
}
