// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

// A manager of delegates with a primary one: it is told first on the way up and last on the way down. Every delegate
// gives a verdict on the launch, nobody is skipped, and all must agree.

import Lifecycle
import LifecycleTesting

for paid in [true, false] {
    let mediator = LifecycleMediator(clock: ManualClock())
    try mediator.addListener(LicenceDelegate(isPaid: paid))
    try mediator.addListener(AnalyticsDelegate())
    try mediator.addPrimaryListener(AppDelegate())
    print("main delegate: \(mediator.primaryListener?.name ?? "none")")
    print("launch, licence \(paid ? "paid" : "not paid"):")
    mediator.perform(.launch) { print("  result: \($0.result)") }
    if mediator.state == .active {
        print("stop:")
        mediator.perform(.stop)
    }
}

let mediator = LifecycleMediator(clock: ManualClock())
try mediator.addPrimaryListener(AppDelegate())
do {
    try mediator.addPrimaryListener(AnalyticsDelegate())
} catch {
    print(error)
}
