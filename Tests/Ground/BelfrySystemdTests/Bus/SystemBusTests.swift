// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryEventLoop
@testable import BelfrySystemd
import Glibc
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct SystemBusTests {
    let fixture: BusFixture

    init() throws { fixture = try BusFixture() }

    @Test func callIsAnswered() throws {
        try fixture.startReady()

        let id = try call("GetId").get()

        #expect(id.count == 32)
    }

    @Test func remoteErrorHasItsName() throws {
        try fixture.startReady()
        let missing = BusMember("org.example.Nobody", "/", "org.example.Nobody", "Call")

        let answer = try fixture.answer { fixture.bus.ask(BusQuestion(missing) { _ in }, then: $0) }

        guard case .failure(let error) = answer else { return #expect(Bool(false), "\(answer)") }
        #expect(error.name == "org.freedesktop.DBus.Error.ServiceUnknown")
        #expect("\(error)".hasPrefix("unable to call 'org.example.Nobody.Call': "))
    }

    @Test func argumentsArrive() throws {
        try fixture.startReady()

        let owner = try call("GetNameOwner", ["org.freedesktop.DBus"]).get()

        #expect(owner == "org.freedesktop.DBus")
    }

    @Test func answerOfAnotherTypeIsAnError() throws {
        try fixture.startReady()

        let flag = BusQuestion(BusFixture.method("GetId")) { message throws(BusError) in try message.boolean() }
        let answer = try fixture.answer { fixture.bus.ask(flag, then: $0) }

        #expect(throws: BusError.self) { try answer.get() }
    }

    @Test func propertyIsReadFromItsVariant() throws {
        try fixture.startReady()

        let names = BusQuestion(property: BusFixture.method("Interfaces"), "as") { message throws(BusError) in
            try message.array(of: "s") { () throws(BusError) in try message.text() }
        }
        let interfaces = try fixture.answer { fixture.bus.ask(names, then: $0) }

        #expect(try interfaces.get().contains("org.freedesktop.DBus.Monitoring"))
    }

    @Test func callWithoutAConnectionFailsAtOnce() throws {
        var answer: Result<String, BusError>?

        fixture.bus.ask(question("GetId")) { answer = $0 }

        #expect(throws: BusError.self) { try answer?.get() }
        #expect(answer != nil)
    }

    @Test func connectionWaitsForALateBus() throws {
        fixture.bus.connect()
        for _ in 0..<3 { try fixture.loop.turn(waiting: .milliseconds(5)) }
        #expect(!fixture.bus.isReady)

        try fixture.daemon.start()
        try fixture.turn { fixture.bus.isReady }

        #expect(fixture.changes == [true])
    }

    @Test func matchesSurviveARestartOfTheBus() throws {
        try fixture.startReady()
        var owners = 0
        let match = fixture.bus.match(.ownerChanged, firstArgument: "org.example.Lantern") { _ in owners += 1 }

        fixture.daemon.stop()
        try fixture.turn { !fixture.bus.isReady }
        try fixture.daemon.start()
        try fixture.turn { fixture.bus.isReady }
        _ = try call("GetId").get()
        let peer = try fixture.peer("org.example.Lantern")
        try fixture.turn { owners == 1 }

        #expect(fixture.changes == [true, false, true])
        withExtendedLifetime((match, peer)) {}
    }

    @Test func pendingCallFailsWhenTheBusEnds() throws {
        try fixture.startReady()
        fixture.daemon.send(SIGSTOP)
        var answer: Result<String, BusError>?
        fixture.bus.ask(question("GetId")) { answer = $0 }

        fixture.daemon.stop()
        try fixture.turn { answer != nil }

        #expect(throws: BusError.self) { try answer?.get() }
    }

    @Test func unansweredCallEndsAtItsTimeout() throws {
        try fixture.startReady()
        fixture.daemon.send(SIGSTOP)

        let answer = try call("GetId", timeout: .milliseconds(20))

        #expect(throws: BusError.self) { try answer.get() }
        #expect(fixture.bus.isReady)
    }

    @Test func cancelledCallGetsNoAnswer() throws {
        try fixture.startReady()
        var answers = 0
        let call = fixture.bus.ask(question("GetId")) { _ in answers += 1 }

        call.cancel()
        _ = try self.call("GetId").get()

        #expect(answers == 0)
    }

    @Test func droppedMatchIsNotCalled() throws {
        try fixture.startReady()
        var owners: [String] = []
        var dropped: BusMatch? = fixture.bus.match(.ownerChanged, firstArgument: "org.example.Lantern") { _ in
            owners.append("dropped")
        }
        let kept = fixture.bus.match(.ownerChanged, firstArgument: "org.example.Lantern") { _ in owners.append("kept") }

        #expect(dropped != nil)
        dropped = nil
        _ = try call("GetId").get()
        let peer = try fixture.peer("org.example.Lantern")
        try fixture.turn { !owners.isEmpty }

        #expect(owners == ["kept"])
        withExtendedLifetime((kept, peer)) {}
    }

    @Test func unicastSignalIsIgnored() throws {
        try fixture.startReady()
        let peer = try fixture.peer("org.example.Lantern")
        let signal = BusMember("org.example.Lantern", "/lantern", "org.example.Lantern", "Lit")
        var received: [String] = []
        let match = fixture.bus.match(signal) { received.append((try? $0.text()) ?? "?") }
        let ourName = try call("ListNames").get()

        peer.emit("/lantern", "org.example.Lantern", "Lit", to: ourName) { BusWriting.text("forged", to: $0) }
        peer.emit("/lantern", "org.example.Lantern", "Lit") { BusWriting.text("true", to: $0) }
        try fixture.turn { !received.isEmpty }

        #expect(received == ["true"])
        withExtendedLifetime(match) {}
    }

    /// Calls a method of the bus; of a list of names, the first unique one is returned, which is ours.
    private func call(
        _ member: String, _ arguments: [String] = [], timeout: Duration = .seconds(25)
    ) throws -> Result<String, BusError> {
        try fixture.answer { fixture.bus.ask(question(member, arguments), timeout: timeout, then: $0) }
    }

    private func question(_ member: String, _ arguments: [String] = []) -> BusQuestion<String> {
        BusQuestion(BusFixture.method(member), arguments) { message throws(BusError) in
            guard member == "ListNames" else { return try message.text() }
            let names = try message.array(of: "s") { () throws(BusError) in try message.text() }
            return names.first { $0.hasPrefix(":") } ?? ""
        }
    }
}

struct BusRetryTests {
    @Test func lostConnectionIsRetriedAtOnce() {
        var retry = BusRetry()
        retry.connected(at: MonotonicInstant(microseconds: 0))

        #expect(retry.disconnected(at: MonotonicInstant(microseconds: 60_000_000)) == .zero)
    }

    @Test func retriesOfARefusingBusSlowDownAndGoOn() {
        var retry = BusRetry()
        var delays: [Duration] = []

        for _ in 0..<20 { delays.append(retry.disconnected(at: MonotonicInstant(microseconds: 1))) }

        #expect(delays == delays.sorted())
        #expect(delays.suffix(10).allSatisfy { $0 == .seconds(30) })
    }

    @Test func lastingConnectionResetsTheRetries() {
        var retry = BusRetry()
        for _ in 0..<20 { _ = retry.disconnected(at: MonotonicInstant(microseconds: 1)) }

        retry.connected(at: MonotonicInstant(microseconds: 1))
        let short = retry.disconnected(at: MonotonicInstant(microseconds: 2))
        retry.connected(at: MonotonicInstant(microseconds: 3))
        let long = retry.disconnected(at: MonotonicInstant(microseconds: 60_000_000))

        #expect(short == .seconds(30))
        #expect(long == .zero)
    }
}
