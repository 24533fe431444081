// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

// A tree of listeners that is one listener to the mediator. The microphone fails; nobody is kept from his work by that.

import Lifecycle
import LifecycleTesting

let clock = ManualClock()
let mediator = LifecycleMediator(clock: clock)
let devices = try CompositeListener("devices", clock: clock, [Camera(), Microphone(isBroken: true)])
let media = try CompositeListener("media", clock: clock, [devices, Encoder()])
try mediator.addListener(media)

for listener in mediator.listeners {
    print("\(listener.name) answers \(listener.interests.map(\.rawValue).joined(separator: ", "))")
}
for trigger in [LifecycleTrigger.launch, .stop] {
    print("\(trigger):")
    mediator.perform(trigger) { report in
        for problem in report.notifications.flatMap(\.problems) { print("  problem: \(problem)") }
    }
}
for leaf in devices.leaves { print("\(leaf.name): \(leaf.record.failures) of \(leaf.record.calls) calls failed") }
