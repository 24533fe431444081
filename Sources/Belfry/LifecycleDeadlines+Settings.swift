// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryConfiguration
internal import Lifecycle
internal import LifecycleListeners

nonisolated extension LifecycleDeadlines {
    /// No stop outlives it.
    private static let forever = Duration.seconds(365 * 24 * 60 * 60)

    /// `ListenerTimeout=`, and what the unit allows, less the way out; where that is not known, `StopTimeout=`.
    init(_ settings: ServiceSettings, unit: UnitTimeouts? = nil) {
        self.init(listener: settings.listenerTimeout ?? Self.forever, stop: settings.stopTimeout ?? Self.forever)
        guard let unit else { return }
        start = unit.start.map(UnitTime.usable) ?? Self.forever
        stop = unit.stop.map(UnitTime.usable) ?? Self.forever
    }
}
