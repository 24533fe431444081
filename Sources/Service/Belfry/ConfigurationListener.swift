// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryConfiguration
internal import Lifecycle

/// Applies the deadlines of `[Service]` and the settings of sources. Refuses changes that need a restart, and a launch
/// in which a signal cannot be watched: nobody could stop the service then. It is degraded if another part of the
/// program reads a signal, too.
final class ConfigurationListener: LifecycleListener {
    let name = "configuration"
    private unowned let mediator: LifecycleMediator
    private let sources: ServiceSources
    private let budget: UnitBudget
    private let hasSocket: Bool

    /// - Parameter hasSocket: whether the program has the socket. If not, changes of `[Socket]` are ignored.
    init(mediator: LifecycleMediator, sources: ServiceSources, budget: UnitBudget, hasSocket: Bool) {
        self.mediator = mediator
        self.sources = sources
        self.budget = budget
        self.hasSocket = hasSocket
    }

    var health: ListenerHealth {
        let routes = sources.signals.readElsewhere
        guard !routes.isEmpty else { return .healthy }
        let list = routes.map { "\($0.name) (\($0.action))" }.joined(separator: ", ")
        return .degraded("another part of the program reads \(list), the service may not get them")
    }

    var answers: [LifecycleAnswer] {
        on(.willFinishLaunching) { [self] _ in
            do {
                try apply(mediator.configuration)
            } catch {
                throw LifecycleRefusal("\(error)")
            }
        }
        on(.willReload) { [self] in try check($0) }
        on(.didReload) { [self] in
            try apply($0.configuration)
            budget.refresh()
            sources.openMemory()
            // Another part of the program may read a signal since the last look.
            mediator.checkHealth()
        }
        on(.didFailToReload) { [self] in try apply($0.configuration) }
    }

    private func check(_ notification: LifecycleNotification) throws {
        guard let configuration = notification.configuration, let new = configuration[BelfrySettings.self],
            let effective = configuration[EffectiveConfiguration.self],
            let old = mediator.configuration[BelfrySettings.self]
        else { return }
        let keys = BelfrySettings.restartKeys.filter { $0.differs(new, old) && (hasSocket || $0.section != "Socket") }
        guard !keys.isEmpty else { return }
        let list = keys.map { $0.description(in: effective) }.joined(separator: ", ")
        throw LifecycleRefusal("a reload cannot change \(list): that takes a restart")
    }

    private func apply(_ configuration: LifecycleConfiguration?) throws {
        guard let settings = configuration?[BelfrySettings.self] else { return }
        budget.apply(settings.service)
        try sources.apply(settings)
    }
}
