// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

public import Belfry
internal import BelfryListeners

extension ServiceComponent {
    /// The loggers of swift-log whose handler is `BelfryLogHandler` write to the log of the service.
    public nonisolated static var logging: ServiceComponent { ServiceComponent(LoggingComponent.self) }
}

/// Connects the handlers to the log, which ends the connection itself.
final class LoggingComponent: RunningComponent {
    static nonisolated let name = "logging"

    init(_ service: ComponentParameters) {
        service.log.receive(from: LogIntake.shared, identifier: service.options.instanceName)
    }
}
