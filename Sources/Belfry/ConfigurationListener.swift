// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryConfiguration
internal import Lifecycle

/// Applies what belongs to no other listener: the deadlines of `[Service]`, and what sources watch and limit.
final class ConfigurationListener: LifecycleListener {
    let name = "configuration"
    private unowned let mediator: LifecycleMediator
    private let sources: ServiceSources
    private let budget: UnitBudget

    init(mediator: LifecycleMediator, sources: ServiceSources, budget: UnitBudget) {
        self.mediator = mediator
        self.sources = sources
        self.budget = budget
    }

    var answers: [LifecycleAnswer] {
        on(.willFinishLaunching) { [self] _ in try apply(mediator.configuration) }
        on(.didReload) { [self] in
            try apply($0.configuration)
            budget.refresh()
        }
        on(.didFailToReload) { [self] in try apply($0.configuration) }
    }

    private func apply(_ configuration: LifecycleConfiguration?) throws {
        guard let settings = configuration?[BelfrySettings.self] else { return }
        mediator.deadlines = LifecycleDeadlines(settings.service, unit: budget.timeouts)
        try sources.apply(settings)
    }
}
