// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryEventLoop
import Lifecycle
import LifecycleTesting
import BelfrySystemd
import TestSupport

/// A mediator of a service that runs, a bus that others are on, and what was told since the launch.
final class BusSourceFixture {
    let daemon: PrivateBus
    let loop: MainEventLoop
    let bus: SystemBus
    let clock = ManualClock()
    let mediator: LifecycleMediator
    var told: [LifecycleNotification] = []
    private var observation: LifecycleObservation?

    init() throws {
        daemon = try PrivateBus()
        loop = try MainEventLoop()
        bus = SystemBus(loop: loop, address: daemon.address)
        mediator = LifecycleMediator(clock: clock)
        mediator.perform(.launch)
        observation = mediator.addObserver { [unowned self] in told.append($0) }
        try daemon.start()
        bus.connect()
        try turn { bus.isReady }
    }

    var names: [String] { told.map(\.name.rawValue) }

    func peer(_ name: String) throws -> BusPeer { try BusPeer(name, at: daemon.address, on: loop) }

    func turn(until condition: () -> Bool) throws { try loop.turn(until: condition) }
}
