// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryEventLoop
@testable import BelfrySystemd
import TestSupport
import Testing

/// With a stand-in for the service manager; the system tests use the real one.
@Suite(.timeLimit(.minutes(1)))
struct ServiceManagerUnitTests {
    let fixture: BusFixture
    let manager: BusPeer
    let unit: ServiceManagerUnit

    init() throws {
        fixture = try BusFixture()
        try fixture.startReady()
        manager = try fixture.peer("org.freedesktop.systemd1")
        unit = ServiceManagerUnit(name: "lantern@1.service", on: fixture.bus)
    }

    @Test(arguments: [(UInt64(90_000_000), Duration.seconds(90)), (UInt64.max, nil)])
    func timeoutIsADurationAndInfinityIsNone(usec: UInt64, expected: Duration?) throws {
        manager.answer("Get") { reply in
            BusWriting.container("v", "t", to: reply) { BusWriting.number(usec, "t", to: reply) }
        }

        let timeout = try fixture.answer { unit.bus.ask(unit.limit("TimeoutStopUSec"), then: $0) }.get()

        #expect(timeout == expected)
    }

    private static func entry(_ name: String, _ signature: String, to reply: OpaquePointer, _ write: () -> Void) {
        BusWriting.container("e", "sv", to: reply) {
            BusWriting.text(name, to: reply)
            BusWriting.container("v", signature, to: reply, write)
        }
    }

    @Test func propertiesAreReadWhateverTheirTypes() throws {
        manager.answer("GetAll") { reply in
            BusWriting.container("a", "{sv}", to: reply) {
                Self.entry("Type", "s", to: reply) { BusWriting.text("notify", to: reply) }
                Self.entry("Nice", "i", to: reply) { BusWriting.number(Int32(-5), "i", to: reply) }
                Self.entry("CPUWeight", "t", to: reply) { BusWriting.number(UInt64.max, "t", to: reply) }
                Self.entry("Load", "d", to: reply) { BusWriting.number(Double(1).bitPattern, "d", to: reply) }
                Self.entry("Families", "(bas)", to: reply) {
                    BusWriting.container("r", "bas", to: reply) {
                        BusWriting.number(Int32(1), "b", to: reply)
                        BusWriting.container("a", "s", to: reply) { BusWriting.text("AF_UNIX", to: reply) }
                    }
                }
                Self.entry("Delegate", "b", to: reply) { BusWriting.number(Int32(1), "b", to: reply) }
            }
        }

        let properties = try fixture.answer { unit.bus.ask(unit.properties, then: $0) }.get()

        #expect(
            properties
                == UnitProperties([
                    "Type": .text("notify"), "Nice": .number(-5), "CPUWeight": .number(.max), "Load": .list([]),
                    "Families": .list([.boolean(true), .list([.text("AF_UNIX")])]), "Delegate": .boolean(true),
                ]))
        #expect(properties.text("Type") == "notify" && properties.text("None") == "")
        #expect(properties.list("Load") == [] && properties.isOn("Delegate"))
    }

    @Test func endingIsReadFromTheJobQueue() throws {
        manager.answer("ListJobs") { reply in
            BusWriting.container("a", "(usssoo)", to: reply) {
                for (id, unit, type) in [
                    (UInt32(1), "lantern@1.service", "stop"), (2, "other.service", "stop"),
                    (3, "reboot.target", "start"),
                ] {
                    BusWriting.container("r", "usssoo", to: reply) {
                        BusWriting.number(id, "u", to: reply)
                        for text in [unit, type, "waiting"] { BusWriting.text(text, to: reply) }
                        for path in ["/job", "/unit"] { BusWriting.text(path, "o", to: reply) }
                    }
                }
            }
        }

        let ending = try fixture.answer { unit.ending(then: $0) }.get()

        #expect(ending == UnitEnding(job: .stop, shutdown: .reboot))
    }

    @Test(arguments: [nil, "/nonexistent/private"])
    func missingManagerSocketIsNotUsed(path: String?) {
        #expect(ServiceManagerUnit(name: "lantern.service", on: fixture.bus, managerSocket: path).direct == nil)
    }

    @Test func propertyOfAnotherTypeIsAnError() throws {
        manager.answer("Get") { reply in
            BusWriting.container("v", "s", to: reply) { BusWriting.text("90s", to: reply) }
        }

        let answer = try fixture.answer { unit.bus.ask(unit.limit("TimeoutStopUSec"), then: $0) }

        #expect(throws: BusError.self) { try answer.get() }
    }

    @Test func managerWhoseSocketIsNotThereIsNotWaitedFor() throws {
        let error = #expect(throws: BusError.self) {
            try ServiceManagerUnit.properties(of: "lantern.service", over: "/run/not.there/private")
        }

        #expect(
            error?.description == "unable to ask systemd about 'lantern.service': there is no '/run/not.there/private'")
    }
}
