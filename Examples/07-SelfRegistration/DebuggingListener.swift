// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Belfry

@section("belfry_listeners") @used
let debuggingListener: ListenerRegistration.Record = {
    ListenerRegistration.add("DebuggingListener") { _ in DebuggingListener() }
}

/// Linked in, and left out by `DisabledListeners=` in belfry.conf.
final class DebuggingListener: LifecycleListener {
    var answers: [LifecycleAnswer] {
        on(.didBecomeActive) { _ in print("debugging: this is not to be seen") }
    }
}
