// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import BelfryConfiguration
package import BelfryEventLoop
package import Lifecycle

/// What a part finds when it joins the service.
package struct PartSurroundings {
    /// The loop of the main thread.
    package let loop: MainEventLoop
    /// Whom its listeners join.
    package let mediator: LifecycleMediator
    /// Where the service keeps things.
    package let paths: RuntimePaths
    /// What numbers its notifications, as their records in the journal say (`BELFRY_SEQUENCE_ID`).
    package let counter: String
    /// Why the service was started, and how its last run ended.
    package let describeRun: () -> UserInfo
    /// Reads the times of the unit anew, and calls back when they are known.
    package let refreshTimeouts: (@escaping () -> Void) -> Void
}
