// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Lifecycle

/// The concern of recording: while the service is active, at the rate that the configuration says.
final class CameraListener: LifecycleListener {
    private let store: StoreListener
    private var rate = 25

    init(store: StoreListener) { self.store = store }

    var answers: [LifecycleAnswer] {
        on(.didBecomeActive) { [self] _ in print("camera: records at \(rate) frames a second") }
        on(.willReload) { notification in
            guard let rate = notification.configuration?[Settings.self]?.rate, rate <= 60 else {
                throw LifecycleRefusal("the camera has no more than 60 frames a second")
            }
        }
        on(.didReload) { [self] notification in
            rate = notification.configuration?[Settings.self]?.rate ?? rate
            store.keep("part 1")
            print("camera: records at \(rate) frames a second")
        }
        on(.willResignActive) { [store] _ in store.keep("part 2") }
    }
}
