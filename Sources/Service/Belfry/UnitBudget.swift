// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryConfiguration
package import BelfrySystemd
package import Lifecycle

/// Sets the mediator's deadlines from the timeouts of the unit in systemd (`TimeoutStopSec=`, `TimeoutStartSec=`).
///
/// systemd does not announce changes (`systemctl edit`), so the times are read after the start, after a reload, when a
/// stop is accepted, and when a client asks what a signal would do.
package final class UnitBudget {
    /// How long systemd may take to answer.
    private static let answerTimeout: Duration = .seconds(2)

    private unowned let mediator: LifecycleMediator
    private let unit: ServiceManagerUnit?
    private var stops: LifecycleObservation?
    /// Who waits for the next answer, and whether one is awaited.
    private var waiting: [(UnitTimeouts?) -> Void] = []
    private var isAsking = false
    /// The times; nil as long as they are not known.
    private(set) var timeouts: UnitTimeouts?

    /// - Parameter unit: the unit of this process; nil without one, which leaves the configuration.
    package init(mediator: LifecycleMediator, unit: ServiceManagerUnit?) {
        self.mediator = mediator
        self.unit = unit
    }

    /// Begins to read the times, as soon as the bus is there.
    func begin() {
        guard let unit else { return }
        unit.bus.addObserver { [weak self] in if $0 { self?.refresh() } }
        unit.bus.connect()
        stops = mediator.addEventObserver(for: .stopAccepted) { [weak self] _ in self?.refresh() }
    }

    /// Sets the mediator's deadlines.
    func apply(_ settings: ServiceSettings) {
        mediator.deadlines = LifecycleDeadlines(settings, unit: timeouts)
    }

    /// Reads the times again, once for all calls that come while systemd is being asked.
    ///
    /// - Parameter completion: called with them when they are read, or with those read before if they cannot be read;
    ///   nil if they are not known.
    package func refresh(then completion: @escaping (UnitTimeouts?) -> Void = { _ in }) {
        guard let unit, unit.bus.isReady else { return completion(timeouts) }
        waiting.append(completion)
        if !isAsking { ask(unit) }
    }

    private func ask(_ unit: ServiceManagerUnit) {
        let asked = waiting
        (waiting, isAsking) = ([], true)
        unit.bus.ask(unit.limit("TimeoutStartUSec"), timeout: Self.answerTimeout) { [weak self] start in
            unit.bus.ask(unit.limit("TimeoutStopUSec"), timeout: Self.answerTimeout) { [weak self] stop in
                guard let self else { return }
                if case (.success(let start), .success(let stop)) = (start, stop) {
                    update(UnitTimeouts(start: start, stop: stop))
                }
                for completion in asked { completion(timeouts) }
                isAsking = false
                if !waiting.isEmpty { ask(unit) }
            }
        }
    }

    private func update(_ new: UnitTimeouts) {
        guard new != timeouts else { return }
        timeouts = new
        apply((mediator.configuration[BelfrySettings.self] ?? .defaults).service)
    }
}

nonisolated extension LifecycleDeadlines {
    /// Stands for no limit.
    private static let forever = Duration.seconds(365 * 24 * 60 * 60)

    /// `ListenerTimeout=` and the unit's times, less the time to exit; `StopTimeout=` if the unit's time is unknown.
    init(_ settings: ServiceSettings, unit: UnitTimeouts? = nil) {
        self.init(
            listener: Self.limited(settings.listenerTimeout), stop: Self.limited(settings.stopTimeout),
            stopExtensionMax: settings.stopExtensionMax)
        guard let unit else { return }
        start = Self.limited(unit.start.map(UnitTimeouts.usable))
        stop = Self.limited(unit.stop.map(UnitTimeouts.usable))
    }

    /// A longer time means none, and might not fit into a number of microseconds.
    private static func limited(_ time: Duration?) -> Duration { min(time ?? forever, forever) }
}
