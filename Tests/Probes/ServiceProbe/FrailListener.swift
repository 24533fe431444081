// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Belfry

/// Falls ill and recovers with each flush, and is lost when it is asked for its status.
final class FrailListener: LifecycleListener {
    let name = "probe"
    private(set) var health = ListenerHealth.healthy
    private let mediator: LifecycleMediator

    init(_ mediator: LifecycleMediator) { self.mediator = mediator }

    var answers: [LifecycleAnswer] {
        on(.flushRequested) { [self] _ in health = health == .healthy ? .unhealthy("no disk") : .healthy }
        on(.statusRequested) { [self] _ in
            health = .lost("no disk left")
            mediator.checkHealth()
        }
    }
}
