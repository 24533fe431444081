// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

// One mediator, two listeners that know nothing of each other, and the life of a service from launch to stop.

import Lifecycle
import LifecycleTesting

let mediator = LifecycleMediator(clock: ManualClock())
try mediator.addListener(VideoListener())
try mediator.addListener(SocketListener())

for trigger in [LifecycleTrigger.launch, .pause, .resume, .stop] {
    print("\(trigger):")
    mediator.perform(trigger)
}
