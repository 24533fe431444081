// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import TestSupport
import Testing

@testable import BelfrySystemd

/// With a stand-in for the service manager; the system tests use the real one.
@Suite(.timeLimit(.minutes(1)))
struct UnitTurnTests {
    nonisolated static let (shop, worker, late) = ("shop.service", "worker.service", "late.target")
    nonisolated static let own = "belfryd@shop.service"
    nonisolated static let units = [shop, worker, late, own]
    let fixture: BusFixture
    let manager: BusPeer
    let end = End()

    /// What was said at the end of the turn, each time.
    final class End { var problems: [BusError?] = [] }

    /// The unit has the neighbours 'worker.service' and 'belfryd@shop.service'. Both stop at the same time as it.
    init() throws {
        fixture = try BusFixture()
        try fixture.startReady()
        manager = try fixture.peer("org.freedesktop.systemd1")
        manager.answer(property: "Id", "s") { BusWriting.text(Self.shop, to: $0) }
        manager.answer(property: "Before", "as") { reply in
            BusWriting.container("a", "s", to: reply) {
                for unit in [Self.worker, Self.own] { BusWriting.text(unit, to: reply) }
            }
        }
        queue([Self.shop: "stop", Self.worker: "stop", Self.own: "stop"])
        for unit in Self.units { show(unit, "deactivating", job: Self.number(unit)) }
    }

    /// The number of the job of a unit.
    private static func number(_ unit: String) -> UInt32 { UInt32(units.firstIndex(of: unit) ?? 0) + 1 }

    private static func job(_ unit: String) -> String { "/job/\(number(unit))" }

    /// The type of the job of each unit, and the units whose jobs have to end before.
    private func queue(_ jobs: [String: String], before: [String: [String]] = [:]) {
        func write(_ units: [String], to reply: OpaquePointer) {
            BusWriting.container("a", "(usssoo)", to: reply) {
                for unit in units {
                    BusWriting.container("r", "usssoo", to: reply) {
                        BusWriting.number(Self.number(unit), "u", to: reply)
                        for text in [unit, jobs[unit] ?? "", "waiting"] { BusWriting.text(text, to: reply) }
                        for path in [Self.job(unit), "/unit"] { BusWriting.text(path, "o", to: reply) }
                    }
                }
            }
        }
        manager.answer("ListJobs") { write(jobs.keys.sorted(), to: $0) }
        for unit in Self.units { manager.answer("GetBefore", at: Self.job(unit)) { write(before[unit] ?? [], to: $0) } }
    }

    /// What the manager says of a unit from now on.
    private func show(_ unit: String, _ activeState: String, job: UInt32) {
        let path = ServiceManagerUnit(name: unit, on: fixture.bus).path
        manager.answer("GetAll", at: path) { reply in
            BusWriting.container("a", "{sv}", to: reply) {
                Self.entry("Id", "s", to: reply) { BusWriting.text(unit, to: reply) }
                Self.entry("ActiveState", "s", to: reply) { BusWriting.text(activeState, to: reply) }
                Self.entry("Job", "(uo)", to: reply) {
                    BusWriting.container("r", "uo", to: reply) {
                        BusWriting.number(job, "u", to: reply)
                        BusWriting.text("/job", "o", to: reply)
                    }
                }
            }
        }
        manager.emit(path, "org.freedesktop.DBus.Properties", "PropertiesChanged") {
            BusWriting.text("org.freedesktop.systemd1.Unit", to: $0)
        }
    }

    private static func entry(_ name: String, _ type: String, to reply: OpaquePointer, _ write: () -> Void) {
        BusWriting.container("e", "sv", to: reply) {
            BusWriting.text(name, to: reply)
            BusWriting.container("v", type, to: reply, write)
        }
    }

    private func begin() -> UnitTurn {
        UnitTurn(of: Self.shop, for: ServiceManagerUnit(name: Self.own, on: fixture.bus)) { [end] in
            end.problems.append($0)
        }
    }

    /// A turn that waits for 'worker.service', and follows both units.
    private func waiting() throws -> UnitTurn {
        let turn = begin()
        // Each is read again when its changes are followed.
        try fixture.turn { manager.calls.filter { $0 == "GetAll" }.count == 4 }
        try fixture.loop.turnWithoutWaiting()
        #expect(turn.names == [Self.worker] && end.problems == [])
        return turn
    }

    private func turnUntilTheEnd(of turn: UnitTurn) throws {
        try fixture.turn { !end.problems.isEmpty }
        try fixture.loop.turnWithoutWaiting()
        #expect(end.problems.count == 1 && turn.names == [])
    }

    @Test(arguments: ["stop", "restart", "try-restart"])
    func neighbourThatStopsIsWaitedFor(job: String) throws {
        queue([Self.shop: job, Self.worker: job, Self.own: job])
        let turn = try waiting()

        show(Self.worker, "inactive", job: 0)
        try turnUntilTheEnd(of: turn)

        #expect(end.problems == [nil])
    }

    @Test(arguments: [("deactivating", 0), ("active", 9), ("failed", 2)] as [(String, UInt32)])
    func jobThatIsGoneIsNotWaitedFor(activeState: String, job: UInt32) throws {
        let turn = try waiting()

        show(Self.worker, activeState, job: job)
        try turnUntilTheEnd(of: turn)

        #expect(end.problems == [nil])
    }

    @Test func stopThatIsCalledOffEndsTheWait() throws {
        let turn = try waiting()

        show(Self.shop, "active", job: 0)
        try turnUntilTheEnd(of: turn)

        #expect(end.problems == [nil])
    }

    @Test(arguments: [
        [shop: "stop", own: "stop"], [shop: "stop", own: "stop", worker: "start"], [worker: "stop", own: "stop"],
        [shop: "start", worker: "stop"],
    ])
    func withoutSuchJobsItIsTheTurnAtOnce(jobs: [String: String]) throws {
        queue(jobs)

        try turnUntilTheEnd(of: begin())

        #expect(end.problems == [nil])
    }

    @Test(arguments: [[worker: [own]], [worker: [late], late: [own]], [worker: [late, own], late: [worker]]])
    func neighbourWhoseJobWaitsForThisServiceIsNotWaitedFor(before: [String: [String]]) throws {
        queue(Dictionary(uniqueKeysWithValues: Self.units.map { ($0, "stop") }), before: before)

        try turnUntilTheEnd(of: begin())

        #expect(end.problems == [nil])
    }

    @Test func jobsThatWaitForEachOtherAreNoEndlessSearch() throws {
        let before = [Self.worker: [Self.late], Self.late: [Self.worker]]
        queue([Self.shop: "stop", Self.worker: "stop", Self.late: "stop"], before: before)

        _ = try waiting()
    }

    @Test func jobThatHasEndedMeanwhileWaitsForNothing() throws {
        manager.refuse("GetBefore", with: "org.freedesktop.DBus.Error.UnknownObject")

        _ = try waiting()
    }

    @Test(arguments: ["Get", "ListJobs", "GetBefore"])
    func managerThatDoesNotSayIsTold(method: String) throws {
        manager.refuse(method, with: "org.freedesktop.DBus.Error.NoReply")

        try turnUntilTheEnd(of: begin())

        #expect(end.problems.first??.name == "org.freedesktop.DBus.Error.NoReply")
    }

    @Test func busThatIsLostInTheWaitIsTold() throws {
        let turn = try waiting()

        fixture.daemon.stop()
        try turnUntilTheEnd(of: turn)

        #expect(end.problems.first??.attempt == "wait for 'worker.service'")
    }

    @Test func withoutABusItIsToldAtOnce() throws {
        fixture.daemon.stop()
        try fixture.turn { !fixture.bus.isReady }

        let turn = begin()

        #expect(end.problems.count == 1 && end.problems.first??.name == nil && turn.names == [])
    }
}
