// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import ServiceLifecycle

nonisolated extension ServiceGroupConfiguration {
    /// The same group without signals, and with `onBegin` called each time that a service begins.
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
