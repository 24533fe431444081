// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Lifecycle

/// The primary listener, added last and told first.
final class AppDelegate: LifecycleListener {
    var answers: [LifecycleAnswer] {
        on(.didFinishLaunching) { _ in print("  app: yes") }
        on(.willTerminate) { _ in print("  app: the last to go") }
    }
}
