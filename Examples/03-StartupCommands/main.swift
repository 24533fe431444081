// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

// The work of a launch as named commands, in order, each with a deadline of its own. The second launch has no store.

import Lifecycle
import LifecycleTesting

for hasStore in [true, false] {
    let clock = ManualClock()
    let mediator = LifecycleMediator(clock: clock)
    let startup = StartupSequence(clock: clock) {
        ReadSettings(clock: clock)
        OpenStore(isThere: hasStore, clock: clock)
        FindPeers()
        WarmCache(clock: clock)
    }
    try mediator.addListener(startup)

    mediator.perform(.launch) { report in
        print("launch: \(report.result)")
        for problem in report.notifications.flatMap(\.problems) { print("  problem: \(problem)") }
    }
    // FindPeers is still waiting; nobody answers it within its two seconds.
    clock.advance(by: .seconds(2))
    for time in startup.times { print("  \(time.command): \(time.outcome.word) after \(time.duration)") }
}
