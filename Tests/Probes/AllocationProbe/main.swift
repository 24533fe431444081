// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryEventLoop
import BelfrySources
import CAllocations
import Lifecycle

/// Prints the number of allocations of a thousand posts: AllocationProbe.
let mediator = LifecycleMediator(clock: EventLoopClock(try MainEventLoop()))
guard let unobserved = LifecycleNotification.Name("test.unobserved"),
    let observed = LifecycleNotification.Name("test.observed")
else { preconditionFailure("both are names") }
try mediator.addListener(StatusListener())
var calls = 0
let observation = mediator.addObserver(forName: observed) { _ in calls += 1 }

func count(_ label: String, _ body: () -> Void) {
    // The first call allocates what is never freed.
    body()
    let before = allocations_count()
    for _ in 0..<1000 { body() }
    let asked = allocations_count() - before
    print("\(label): \(asked)")
}

count("array") { withExtendedLifetime([calls, calls]) {} }
count("unobserved") { mediator.post(unobserved) }
count("catalogue") { mediator.post(.flushRequested) }
count("observed") { mediator.post(observed) }
print("calls: \(calls)")

/// A listener for another notification.
final class StatusListener: LifecycleListener {
    let name = "status"

    var answers: [LifecycleAnswer] { on(.statusRequested) { _ in } }
}
