// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryConfiguration
internal import Lifecycle
internal import BelfryListeners

nonisolated extension LifecycleDeadlines {
    /// No stop outlives it.
    private static let forever = Duration.seconds(365 * 24 * 60 * 60)

    /// `ListenerTimeout=`, and what the unit allows, less the way out; where that is not known, `StopTimeout=`.
    init(_ settings: ServiceSettings, unit: UnitTimeouts? = nil) {
        self.init(listener: Self.limited(settings.listenerTimeout), stop: Self.limited(settings.stopTimeout))
        guard let unit else { return }
        start = Self.limited(unit.start.map(UnitTime.usable))
        stop = Self.limited(unit.stop.map(UnitTime.usable))
    }

    /// A longer time is as good as none, and would not fit into a number of microseconds.
    private static func limited(_ time: Duration?) -> Duration { min(time ?? forever, forever) }
}
