// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

// The same service as listeners. The signals are those of the operator's script, as Belfry maps them.

import Lifecycle
import LifecycleTesting

let mediator = LifecycleMediator(clock: ManualClock())
let video = VideoListener()
try mediator.addListener(StatisticsListener(video: video))
try mediator.addListener(SocketListener())
try mediator.addListener(video)

mediator.perform(.launch)
mediator.perform(.pause)
mediator.perform(.resume)
mediator.post(.flushRequested)
mediator.perform(.stop)
