// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Belfry

@section("belfry_listeners") @used
let counterListener: ListenerRegistration.Record = {
    ListenerRegistration.add("CounterListener") { service in CounterListener(service.mediator) }
}

/// Counts what is posted; it is given the service's mediator when it is made.
final class CounterListener: LifecycleListener {
    private var count = 0
    private var observation: LifecycleObservation?

    init(_ mediator: LifecycleMediator) {
        observation = mediator.addObserver { [unowned self] _ in count += 1 }
    }

    var answers: [LifecycleAnswer] {
        on(.willTerminate) { [self] _ in print("counter: \(count) notifications") }
    }
}
