// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import Lifecycle

/// A listener whose answers are those that a closure returns.
package final class ClosureListener: LifecycleListener {
    package let name: String
    package let follows: [String]
    package let isRequired: Bool
    package var health = ListenerHealth.healthy
    private let make: (ClosureListener) -> [LifecycleAnswer]

    /// By default it answers `didWake`.
    package init(
        _ name: String, follows: [String] = [], isRequired: Bool = true,
        @LifecycleAnswerBuilder _ make: @escaping (ClosureListener) -> [LifecycleAnswer] = {
            [$0.on(.didWake) { _ in }]
        }
    ) {
        (self.name, self.follows, self.isRequired, self.make) = (name, follows, isRequired, make)
    }

    package var answers: [LifecycleAnswer] { make(self) }
}
