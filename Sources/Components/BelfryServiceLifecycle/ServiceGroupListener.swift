// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import Lifecycle
package import ServiceLifecycle

/// A service group as a listener: it starts the group at the launch and shuts it down at the stop.
package final class ServiceGroupListener: LifecycleListener {
    /// The name of the listener in the journal and on the socket.
    package let name: String
    /// The listeners that must be launched before the group starts, and stay until it has shut down.
    package let follows: [String]
    private let configuration: ServiceGroupConfiguration
    private unowned let mediator: LifecycleMediator
    private let readiness: ServiceReadiness?
    private let startDeadline: Duration?
    private let shutdownDeadline: Duration?
    private let onFailure: (any Error) -> Void
    private var group: ServiceGroup?
    private var task: Task<Void, any Error>?
    /// How the group ends: known as soon as a service ends it, even if the group never returns.
    private var end: Result<Void, any Error>?
    private var hasStarted = false
    private var isShuttingDown = false

    /// A listener for a group that does not run yet.
    ///
    /// - Parameter onFailure: called once with the first error after the group has started, before or during its shutdown, but
    ///   not after it was cancelled.
    package init(
        _ configuration: ServiceGroupConfiguration, name: String = "serviceGroup", follows: [String] = [],
        mediator: LifecycleMediator, readiness: ServiceReadiness? = nil, startDeadline: Duration? = nil,
        shutdownDeadline: Duration? = nil, onFailure: @escaping (any Error) -> Void
    ) {
        self.configuration = configuration
        self.name = name
        self.follows = follows
        self.mediator = mediator
        self.readiness = readiness
        self.startDeadline = startDeadline
        self.shutdownDeadline = shutdownDeadline
        self.onFailure = onFailure
    }

    package var answers: [LifecycleAnswer] {
        on(.didFinishLaunching, deadline: startDeadline) { [self] _ in try await start() }
        on(.willTerminate, deadline: shutdownDeadline) { [self] _ in try await shutDown() }
    }

    private func start() async throws {
        guard !configuration.services.isEmpty else { return }
        let (events, report) = AsyncStream.makeStream(of: GroupStartEvent.self)
        let waiting = readiness.map { readiness in
            Task {
                await readiness.wait()
                report.yield(.ready)
            }
        }
        defer { waiting?.cancel() }
        run(report)
        var outstanding = configuration.services.count + (readiness == nil ? 0 : 1)
        for await event in events {
            switch event {
            case .began, .ready: outstanding -= 1
            case .ended: throw refusal
            }
            if outstanding == 0 { return try started() }
        }
        throw CancellationError()
    }

    private func run(_ report: AsyncStream<GroupStartEvent>.Continuation) {
        let observed = configuration.observed {
            report.yield(.began)
        } onEnd: { [weak self] result in
            self?.ended(result)
            report.yield(.ended)
        }
        let group = ServiceGroup(configuration: observed)
        self.group = group
        task = Task {
            defer { report.yield(.ended) }
            do {
                try await group.run()
                ended(.success(()))
            } catch {
                if !Task.isCancelled { ended(.failure(error)) }
                throw error
            }
        }
    }

    private func started() throws {
        if case .failure = end { throw refusal }
        hasStarted = true
        if let end { ended(end) }
    }

    private var refusal: LifecycleRefusal {
        switch end {
        case .failure(let error): LifecycleRefusal("unable to start '\(name)': \(error)")
        default: LifecycleRefusal("unable to start '\(name)': it ended before it was ready")
        }
    }

    private func ended(_ result: Result<Void, any Error>) {
        if case .failure = end { return }
        end = result
        guard hasStarted else { return }
        switch result {
        case .failure(let error): onFailure(error)
        case .success where isShuttingDown || mediator.isStopping: break
        case .success: mediator.perform(.stop, userInfo: Termination(.finished).userInfo)
        }
    }

    private func shutDown() async throws {
        guard let group, let task else { return }
        isShuttingDown = true
        let known = end
        try await withTaskCancellationHandler {
            await group.triggerGracefulShutdown()
            let result = await task.result
            if known == nil { try result.get() }
        } onCancel: {
            task.cancel()
        }
    }
}

/// An event during the start of a group.
nonisolated enum GroupStartEvent: Sendable {
    /// `run()` of another service was called.
    case began
    /// The services are ready.
    case ready
    /// The group has ended, or a service ends it.
    case ended
}

/// The error of one service of a group.
package nonisolated struct ServiceFailure: Error, CustomStringConvertible {
    /// The name of the service in the configuration of the group.
    let service: String
    /// What it threw.
    package let error: any Error

    package var description: String { "service '\(service)': \(error)" }
}

/// A service that reports when it begins, and when it ends the group. swift-service-lifecycle reports neither: `run()` of a group
/// returns when all services have, which is never if one of them ignores its cancellation.
nonisolated struct ObservedService: Service {
    let configuration: ServiceGroupConfiguration.ServiceConfiguration
    let onBegin: @Sendable () -> Void
    let onEnd: @MainActor @Sendable (Result<Void, any Error>) -> Void

    func run() async throws {
        onBegin()
        do {
            try await configuration.service.run()
        } catch {
            let ignored = configuration.failureTerminationBehavior.means(.ignore)
            if !ignored, !Task.isCancelled { await onEnd(.failure(failure(error))) }
            throw error
        }
        guard !Task.isCancelled, !Task.isShuttingDownGracefully else { return }
        let behavior = configuration.successTerminationBehavior
        if behavior.means(.gracefullyShutdownGroup) { await onEnd(.success(())) }
        if behavior.means(.cancelGroup) {
            await onEnd(.failure(failure(ServiceGroupError.serviceFinishedUnexpectedly())))
        }
    }

    private func failure(_ error: any Error) -> ServiceFailure {
        ServiceFailure(service: configuration.serviceName, error: error)
    }
}

nonisolated extension ServiceGroupConfiguration.ServiceConfiguration.TerminationBehavior {
    /// Whether both are the same. Of a behaviour only its description is public.
    func means(_ other: Self) -> Bool { description == other.description }
}

nonisolated extension ServiceGroupConfiguration {
    /// The same group without signals. `onBegin` is called when a service begins, and `onEnd` when one ends the group.
    func observed(
        onBegin: @escaping @Sendable () -> Void, onEnd: @escaping @MainActor @Sendable (Result<Void, any Error>) -> Void
    ) -> Self {
        var observed = self
        observed.gracefulShutdownSignals = []
        observed.cancellationSignals = []
        for (place, service) in services.enumerated() {
            observed.services[place].service = ObservedService(configuration: service, onBegin: onBegin, onEnd: onEnd)
        }
        return observed
    }
}
