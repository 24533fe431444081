// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Belfry

@section("belfry_listeners") @used
let registeredListener: ListenerRegistration.Record = {
    ListenerRegistration.add("registered") { _ in RegisteredListener() }
}

/// Does nothing, and is named nowhere else.
final class RegisteredListener: LifecycleListener {
    let name = "registered"
    var answers: [LifecycleAnswer] {
        on(.didBecomeActive) { _ in }
    }
}
