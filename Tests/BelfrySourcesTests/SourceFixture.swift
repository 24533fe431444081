// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryEventLoop
import BelfrySources
import BelfrySystemd
import Foundation
import Lifecycle
import LifecycleTesting
import TestSupport

/// A loop, a mediator of a service that runs, what it was told, and a private directory.
final class SourceFixture {
    let loop: MainEventLoop
    let mediator = LifecycleMediator(clock: ManualClock())
    let directory: TemporaryDirectory
    var told: [LifecycleNotification] = []
    private var observation: LifecycleObservation?

    init() throws {
        loop = try MainEventLoop()
        directory = try TemporaryDirectory()
        mediator.perform(.launch)
        observation = mediator.addObserver { [unowned self] in told.append($0) }
    }

    /// Turns the loop until something was told.
    func untilTold(_ count: Int = 1) throws { try loop.turn { told.count >= count } }

    /// Turns the loop a few times, for whatever is ready already.
    func turnAWhile() throws { for _ in 0..<5 { try loop.turn(waiting: .zero) } }

    /// Replaces a file as a whole, as renaming does it.
    func link(_ name: String, to target: String) throws {
        let path = directory.path(name)
        try FileManager.default.createSymbolicLink(atPath: path + ".new", withDestinationPath: target)
        rename(path + ".new", path)
    }
}

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
