// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Lifecycle

/// Agrees to everything, and is asked even when somebody has refused already.
final class AnalyticsDelegate: LifecycleListener {
    var answers: [LifecycleAnswer] {
        on(.didFinishLaunching) { _ in print("  analytics: yes") }
        on(.willTerminate) { _ in print("  analytics: sent") }
    }
}
