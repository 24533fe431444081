// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Lifecycle

/// Has the callbacks of an application delegate.
final class AppListener: LifecycleListener {
    var answers: [LifecycleAnswer] {
        for name in [
            LifecycleNotification.Name.willFinishLaunching, .didFinishLaunching, .didBecomeActive, .willResignActive,
            .didEnterBackground, .willEnterForeground, .willTerminate,
        ] {
            on(name) { print("    callback \($0.name)") }
        }
    }
}
