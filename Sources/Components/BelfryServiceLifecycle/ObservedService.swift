// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import Belfry
internal import ServiceLifecycle

/// A service that reports when it begins, and when it ends the group. swift-service-lifecycle reports neither: `run()`
/// of a group returns when all services have, which is never if one of them ignores its cancellation.
nonisolated struct ObservedService: Service {
    let configuration: ServiceGroupConfiguration.ServiceConfiguration
    let begun: ServiceReadiness
    let onEnd: @MainActor @Sendable (Result<Void, any Error>) -> Void

    func run() async throws {
        begun.signal()
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
        ServiceFailure(of: "service '\(configuration.serviceName)'", error)
    }
}

nonisolated extension ServiceGroupConfiguration.ServiceConfiguration.TerminationBehavior {
    /// Whether both are the same. Of a behaviour only its description is public.
    func means(_ other: Self) -> Bool { description == other.description }
}

nonisolated extension ServiceGroupConfiguration {
    /// The same group without signals. A service signals `begun` when it begins, and `onEnd` is called when one ends
    /// the group.
    func observed(
        _ begun: [ServiceReadiness], onEnd: @escaping @MainActor @Sendable (Result<Void, any Error>) -> Void
    ) -> Self {
        var observed = self
        observed.gracefulShutdownSignals = []
        observed.cancellationSignals = []
        for (place, service) in services.enumerated() {
            var named = service
            // The default is the service as text, with its values. Errors with the name are logged.
            if named.serviceName == "\(service.service)" { named.serviceName = "\(type(of: service.service))" }
            observed.services[place].serviceName = named.serviceName
            observed.services[place].service = ObservedService(
                configuration: named, begun: begun[place], onEnd: onEnd)
        }
        return observed
    }
}
