// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Belfry

@section("belfry_listeners") @used
let greetingListener: ListenerRegistration.Record = {
    ListenerRegistration.add("GreetingListener") { _ in GreetingListener() }
}

/// Says hello and goodbye.
final class GreetingListener: LifecycleListener {
    var answers: [LifecycleAnswer] {
        on(.didBecomeActive) { _ in print("greeting: hello") }
        on(.willTerminate) { _ in print("greeting: goodbye") }
    }
}
