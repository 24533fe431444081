// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

// The sequences of a service, with the state before and after each notification.

import Lifecycle
import LifecycleTesting

let mediator = LifecycleMediator(clock: ManualClock())
let observation = mediator.addObserver { print("  \($0.name): \($0.previousState) -> \($0.state)") }
try mediator.addListener(AppListener())
try mediator.addListener(MemoryListener())

let sequences: [(String, [LifecycleTrigger])] = [
    ("launch", [.launch]), ("to the background", [.pause]), ("to the foreground", [.resume]),
    ("interruption", [.interrupt, .resume]), ("suspended in the background", [.pause, .suspend, .continued]),
    ("end", [.stop]),
]
for (title, triggers) in sequences {
    if title == "end" {
        print("memory warning:")
        mediator.post(MemoryWarning(.some))
    }
    print("\(title):")
    for trigger in triggers { mediator.perform(trigger) }
}
for listener in mediator.listeners { print("\(listener.name): \(listener.record.calls) calls") }
