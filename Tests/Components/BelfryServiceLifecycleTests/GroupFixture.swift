// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Belfry
import BelfryServiceLifecycle
import Lifecycle
import LifecycleTesting
import Logging
import ServiceLifecycle

/// A mediator on a manual clock with a service group, and the events of its services.
final class GroupFixture {
    let clock = ManualClock()
    let mediator: LifecycleMediator
    let journal = ServiceJournal()
    var failures: [any Error] = []
    var ended: [TransitionReport] = []

    init() { mediator = LifecycleMediator(clock: clock) }

    /// Adds a group in which no service ends the others.
    func add(_ services: ScriptedService..., readiness: ServiceReadiness? = nil) throws {
        let services = services.map { service in
            ServiceGroupConfiguration.ServiceConfiguration(
                service: service, successTerminationBehavior: .gracefullyShutdownGroup,
                failureTerminationBehavior: .gracefullyShutdownGroup, serviceName: service.name)
        }
        try add(ServiceGroupConfiguration(services: services, logger: Self.quiet), readiness: readiness)
    }

    func add(_ configuration: ServiceGroupConfiguration, readiness: ServiceReadiness? = nil) throws {
        try mediator.addServiceGroup(configuration, readiness: readiness) { [unowned self] result in
            switch result {
            case .failure(let error): failures.append(error)
            case .success where mediator.isStopping: break
            case .success: mediator.perform(.stop, userInfo: Termination(.finished).userInfo)
            }
        }
    }

    func service(_ name: String, _ manner: ScriptedService.Manner = .serving) -> ScriptedService {
        ScriptedService(name, manner, journal)
    }

    /// Performs a transition, and waits until it is complete.
    @discardableResult
    func perform(_ trigger: LifecycleTrigger) async -> TransitionReport {
        await withCheckedContinuation { continuation in
            mediator.perform(trigger) { continuation.resume(returning: $0) }
        }
    }

    /// Waits until `condition` holds, letting other work run.
    func until(_ condition: () -> Bool) async {
        while !condition(), !Task.isCancelled { await Task.yield() }
    }

    static let quiet = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
}

/// The events of services, in the order in which they wrote them.
final class ServiceJournal {
    private(set) var lines: [String] = []

    func write(_ line: String) { lines.append(line) }
}

/// A service that records its events and ends as the test requires.
nonisolated struct ScriptedService: Service {
    struct Failure: Error, Equatable, CustomStringConvertible {
        var description: String { "out of luck" }
    }

    enum Manner {
        /// Until the graceful shutdown.
        case serving
        /// Until it is cancelled.
        case stubborn
        /// Until the cue, also when it is cancelled.
        case immovable(Cue)
        /// Until the cue; then it returns.
        case finishing(Cue)
        /// Until the cue; then it throws.
        case failing(Cue)
        /// Until the graceful shutdown; then it throws.
        case failingLate
    }

    let name: String
    private let manner: Manner
    private let journal: ServiceJournal

    init(_ name: String, _ manner: Manner, _ journal: ServiceJournal) {
        self.name = name
        self.manner = manner
        self.journal = journal
    }

    func run() async throws {
        await journal.write("\(name) runs")
        switch manner {
        case .serving: try await gracefulShutdown()
        case .stubborn: await Cue().wait()
        case .immovable(let cue): await Task { await cue.wait() }.value
        case .finishing(let cue): await cue.wait()
        case .failing(let cue):
            await cue.wait()
            throw Failure()
        case .failingLate:
            try await gracefulShutdown()
            throw Failure()
        }
        await journal.write(Task.isCancelled ? "\(name) was cancelled" : "\(name) has shut down")
    }
}

/// A signal of the test that a service waits for.
nonisolated struct Cue: Sendable {
    private let stream: AsyncStream<Never>
    private let continuation: AsyncStream<Never>.Continuation

    init() { (stream, continuation) = AsyncStream.makeStream() }

    func give() { continuation.finish() }

    func wait() async {
        for await _ in stream {}
    }
}
