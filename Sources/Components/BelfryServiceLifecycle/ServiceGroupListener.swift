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
    private var end: Result<Void, any Error>?
    private var hasStarted = false
    private var isShuttingDown = false

    /// A listener for a group that does not run yet.
    ///
    /// - Parameter onFailure: called with the error of the group after it has started, before or during its shutdown, but not
    ///   after it was cancelled.
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
        // A listener that overruns its deadline does not end the launch, one that refuses does. So the start has its own
        // timer.
        on(.didFinishLaunching, deadline: startLimit + Self.margin) { [self] _ in try await start() }
        on(.willTerminate, deadline: shutdownDeadline) { [self] _ in try await shutDown() }
    }

    private static let margin = Duration.milliseconds(100)

    private var startLimit: Duration { startDeadline ?? mediator.deadlines.listener }

    private func start() async throws {
        guard !configuration.services.isEmpty else { return }
        let (events, report) = AsyncStream.makeStream(of: GroupStartEvent.self)
        let remaining = mediator.remainingTime ?? startLimit
        let limit = min(startLimit, max(remaining - Self.margin, .zero))
        let timer = mediator.clock.schedule(after: limit) { report.yield(.late) }
        let waiting = readiness.map { readiness in
            Task {
                await readiness.wait()
                report.yield(.ready)
            }
        }
        defer {
            timer.cancel()
            waiting?.cancel()
        }
        run(report)
        var outstanding = configuration.services.count + (readiness == nil ? 0 : 1)
        for await event in events {
            switch event {
            case .began, .ready: outstanding -= 1
            case .ended: throw refusal
            case .late: throw LifecycleRefusal("not ready after \(limit)")
            }
            if outstanding == 0 { return try started() }
        }
        throw CancellationError()
    }

    private func run(_ report: AsyncStream<GroupStartEvent>.Continuation) {
        let group = ServiceGroup(configuration: configuration.observed { report.yield(.began) })
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
        guard end == nil else { return }
        try await withTaskCancellationHandler {
            await group.triggerGracefulShutdown()
            try await task.value
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
    /// The group has ended.
    case ended
    /// The start deadline has passed.
    case late
}

/// A service that reports when it begins. swift-service-lifecycle starts a task for each service and does not report when the
/// task runs.
nonisolated struct BeginningService: Service {
    let service: any Service
    let onBegin: @Sendable () -> Void

    func run() async throws {
        onBegin()
        try await service.run()
    }
}

nonisolated extension ServiceGroupConfiguration {
    /// The same group without signals, and with `onBegin` called when a service begins.
    func observed(_ onBegin: @escaping @Sendable () -> Void) -> Self {
        var observed = self
        observed.gracefulShutdownSignals = []
        observed.cancellationSignals = []
        observed.services = services.map { configuration in
            var configuration = configuration
            configuration.service = BeginningService(service: configuration.service, onBegin: onBegin)
            return configuration
        }
        return observed
    }
}
