// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryEventLoop
import BelfrySources
import BelfrySystemd
import Foundation
import Lifecycle
import LifecycleTesting
import TestSupport

/// A loop, a mediator of a launched service, the notifications since the launch, and a private directory.
final class SourceFixture {
    let loop: MainEventLoop
    let mediator = LifecycleMediator(clock: ManualClock())
    let directory: TemporaryDirectory
    var posted: [LifecycleNotification] = []
    private var observation: LifecycleObservation?

    init() throws {
        loop = try MainEventLoop()
        directory = try TemporaryDirectory()
        mediator.perform(.launch)
        observation = mediator.addObserver { [unowned self] in posted.append($0) }
    }

    /// Turns the loop until this many notifications were posted.
    func turnUntilPosted(_ count: Int = 1) throws { try loop.turn { posted.count >= count } }

    /// Replaces a file atomically with a link.
    func link(_ name: String, to target: String) throws {
        let path = directory.path(name)
        try FileManager.default.createSymbolicLink(atPath: path + ".new", withDestinationPath: target)
        rename(path + ".new", path)
    }
}

/// A mediator of a launched service, a private bus, and the notifications since the launch.
final class BusSourceFixture {
    let daemon: PrivateBus
    let loop: MainEventLoop
    let bus: SystemBus
    let clock = ManualClock()
    let mediator: LifecycleMediator
    var posted: [LifecycleNotification] = []
    private var observation: LifecycleObservation?

    init() throws {
        daemon = try PrivateBus()
        loop = try MainEventLoop()
        bus = SystemBus(loop: loop, address: daemon.address)
        mediator = LifecycleMediator(clock: clock)
        mediator.perform(.launch)
        observation = mediator.addObserver { [unowned self] in posted.append($0) }
        try daemon.start()
        bus.connect()
        try turn { bus.isReady }
    }

    var names: [String] { posted.map(\.name.rawValue) }

    func peer(_ name: String) throws -> BusPeer { try BusPeer(name, at: daemon.address, on: loop) }

    func turn(until condition: () -> Bool) throws { try loop.turn(until: condition) }
}
