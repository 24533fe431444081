// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryEventLoop
import BelfrySources
import CAllocations
import Lifecycle

/// Prints how often memory was asked for by a thousand posts: AllocationProbe.
let mediator = LifecycleMediator(clock: EventLoopClock(try MainEventLoop()))
guard let unheard = LifecycleNotification.Name("nobody.hears"), let heard = LifecycleNotification.Name("one.hears")
else { preconditionFailure("both are names") }
try mediator.addListener(StatusListener())
var calls = 0
let observation = mediator.addObserver(forName: heard) { _ in calls += 1 }

func count(_ label: String, _ body: () -> Void) {
    // The first time fills what is kept for good.
    body()
    let before = allocations_count()
    for _ in 0..<1000 { body() }
    let asked = allocations_count() - before
    print("\(label): \(asked)")
}

count("array") { withExtendedLifetime([calls, calls]) {} }
count("unheard") { mediator.post(unheard) }
count("catalogue") { mediator.post(.flushRequested) }
count("observed") { mediator.post(heard) }
print("calls: \(calls)")

/// Somebody who listens, but to something else.
final class StatusListener: LifecycleListener {
    let name = "status"

    var answers: [LifecycleAnswer] { on(.statusRequested) { _ in } }
}
