// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Lifecycle

/// Somebody who listens, but to something else.
final class StatusListener: LifecycleListener {
    let name = "status"

    var answers: [LifecycleAnswer] { on(.statusRequested) { _ in } }
}
