// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryConfiguration
internal import Lifecycle

nonisolated extension LifecycleDeadlines {
    /// `ListenerTimeout=` and `StopTimeout=`; `infinity` is a year, which no stop outlives.
    init(_ settings: ServiceSettings) {
        let forever = Duration.seconds(365 * 24 * 60 * 60)
        self.init(listener: settings.listenerTimeout ?? forever, stop: settings.stopTimeout ?? forever)
    }
}
