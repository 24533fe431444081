// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

// The root of a service with five concerns: it makes them, says in which order, and does nothing else.

import Lifecycle
import LifecycleTesting

let mediator = LifecycleMediator(
    clock: ManualClock(), configuration: Settings(rate: 25).configuration,
    readConfiguration: { Settings(rate: 50).configuration })

let store = StoreListener()
let upload = UploadListener(store: store, mediator: mediator)
try mediator.addListener(store)
try mediator.addListener(CameraListener(store: store))
try mediator.addListener(ClientListener())
try mediator.addListener(RetentionListener(store: store))
try mediator.addListener(upload)

mediator.perform(.launch)
mediator.perform(.reload)
mediator.post(.didReceiveMemoryWarning)
mediator.post(.openURL, userInfo: ["url": "camera://snapshot"]) { print("opened by \($0.handledBy ?? "nobody")") }
// Offered to every concern, as an application delegate hands a URL to each of its categories.
mediator.post(.openURL, userInfo: ["url": "camera://erase", "toAll": true]) { report in
    print("opened by \(report.listeners.filter { $0.outcome == .handled }.map(\.listener))")
}
let wanted = ReceivedNotification("com.example.recording-wanted", ["by": "archive"], isInForeground: true)
mediator.post(wanted) { print("message: \($0.result)") }
mediator.post(.performFetch) { print("fetched: \($0.result)") }
mediator.perform(.stop)
upload.finish()
