// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import Lifecycle

/// A listener that refuses a new configuration when it is told to, before or after the others have taken it.
final class RefusingListener: LifecycleListener {
    let name = "io.belfry.conformance.refuser"
    var refused: LifecycleNotification.Name?

    var answers: [LifecycleAnswer] {
        for name in [LifecycleNotification.Name.willReload, .didReload] {
            on(name) { [self] _ in if refused == name { throw LifecycleRefusal("not this one") } }
        }
    }
}
