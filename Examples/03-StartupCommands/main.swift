// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

// The work of a launch as named commands, in order, each with a deadline of its own. At the second launch the port is taken:
// the command that fails has those before it undone.

import Lifecycle
import LifecycleTesting

for isPortFree in [true, false] {
    let clock = ManualClock()
    let mediator = LifecycleMediator(clock: clock)
    let startup = StartupSequence(
        clock: clock,
        [
            ReadSettings(clock: clock),
            OpenStore(clock: clock),
            FindPeers(),
            ListenForClients(isPortFree: isPortFree, clock: clock),
        ])
    try mediator.addListener(startup)

    mediator.perform(.launch) { report in
        print("launch: \(report.result)")
        for problem in report.notifications.flatMap(\.problems) { print("  problem: \(problem)") }
    }
    // FindPeers is still waiting; nobody answers it within its two seconds.
    clock.advance(by: .seconds(2))
    for time in startup.times { print("  \(time.command): \(time.outcome.kind) after \(time.duration)") }
}
