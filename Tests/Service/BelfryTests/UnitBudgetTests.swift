// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Belfry
import BelfryEventLoop
import BelfrySystemd
import Lifecycle
import LifecycleTesting
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct UnitBudgetTests {
    let daemon: PrivateBus
    let loop: MainEventLoop
    let bus: SystemBus
    let mediator = LifecycleMediator(clock: ManualClock())

    init() throws {
        daemon = try PrivateBus()
        loop = try MainEventLoop()
        bus = SystemBus(loop: loop, address: daemon.address)
    }

    @Test func callsWhileSystemdIsAskedAreAnsweredByOneQuestionAfterIt() throws {
        try daemon.start()
        bus.connect()
        try loop.turn { bus.isReady }
        let manager = try BusPeer("org.freedesktop.systemd1", at: daemon.address, on: loop)
        for (property, usec) in [("TimeoutStartUSec", UInt64(5_000_000)), ("TimeoutStopUSec", UInt64.max)] {
            manager.answer(property: property, "t") { BusWriting.number(usec, "t", to: $0) }
        }
        let budget = UnitBudget(
            mediator: mediator, unit: ServiceManagerUnit(name: "lantern.service", on: bus))
        var answers: [UnitTimeouts?] = []

        for _ in 0..<5 { budget.refresh { answers.append($0) } }
        try loop.turn { answers.count == 5 }

        #expect(answers == Array(repeating: UnitTimeouts(start: .seconds(5), stop: nil), count: 5))
        #expect(manager.calls.filter { $0 == "Get" }.count == 4)
    }
}
