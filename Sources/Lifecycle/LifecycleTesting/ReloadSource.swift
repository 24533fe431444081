// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import Lifecycle

/// What the reloads of a mediator read, which a test changes.
package final class ReloadSource {
    /// Reads the configuration; nil leaves the one in effect.
    package var read: (() throws -> LifecycleConfiguration)?
    private weak var mediator: LifecycleMediator?

    package init() {}

    /// A mediator whose reloads read this.
    package func mediator(
        clock: any LifecycleClock, sequence: any LifecycleSequence = TransientSequence(),
        configuration: LifecycleConfiguration? = LifecycleConfiguration(),
        deadlines: LifecycleDeadlines = LifecycleDeadlines()
    ) -> LifecycleMediator {
        let mediator = LifecycleMediator(
            clock: clock, sequence: sequence, configuration: configuration, deadlines: deadlines
        ) { [unowned self] _ in
            try read?() ?? self.mediator?.configuration ?? LifecycleConfiguration()
        }
        self.mediator = mediator
        return mediator
    }
}
