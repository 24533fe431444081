// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryEventLoop
import Foundation
import Lifecycle
import BelfrySources
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
