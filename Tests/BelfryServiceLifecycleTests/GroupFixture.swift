// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryServiceLifecycle
import Lifecycle
import LifecycleTesting
import Logging
import ServiceLifecycle

/// A mediator on a manual clock with a group on it, and a journal of what became of its services.
final class GroupFixture {
    let clock = ManualClock()
    let mediator: LifecycleMediator
    let journal = ServiceJournal()
    var failures: [any Error] = []
    var ended: [TransitionReport] = []

    init() { mediator = LifecycleMediator(clock: clock) }

    /// Adds a group. Nothing in it ends the others by itself.
    func add(_ services: ScriptedService..., readiness: ServiceReadiness? = nil) throws {
        let services = services.map { service in
            ServiceGroupConfiguration.ServiceConfiguration(
                service: service, successTerminationBehavior: .gracefullyShutdownGroup,
                failureTerminationBehavior: .gracefullyShutdownGroup)
        }
        try add(ServiceGroupConfiguration(services: services, logger: Self.quiet), readiness: readiness)
    }

    func add(_ configuration: ServiceGroupConfiguration, readiness: ServiceReadiness? = nil) throws {
        try mediator.addListener(
            ServiceGroupListener(configuration, mediator: mediator, readiness: readiness) { [unowned self] error in
                failures.append(error)
            })
    }

    func service(_ name: String, _ manner: ScriptedService.Manner = .serving) -> ScriptedService {
        ScriptedService(name, manner, journal)
    }

    /// Moves the service, and waits until it has.
    @discardableResult
    func perform(_ trigger: LifecycleTrigger) async -> TransitionReport {
        await withCheckedContinuation { continuation in
            mediator.perform(trigger) { continuation.resume(returning: $0) }
        }
    }

    /// Waits until `condition` holds, letting other work run.
    func until(_ condition: () -> Bool) async {
        while !condition() { await Task.yield() }
    }

    static let quiet = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
}
