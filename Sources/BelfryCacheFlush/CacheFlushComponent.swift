// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

public import Belfry
internal import BelfryListeners
internal import Lifecycle

extension ServiceComponent {
    /// Writes back and trims the directory of each `[Cache NAME]` section of the configuration, on the notifications in its
    /// `On=`.
    public nonisolated static var cacheFlush: ServiceComponent {
        ServiceComponent("cacheFlush") { CacheFlushComponent($0) }
    }
}

/// The component that adds the listener.
final class CacheFlushComponent: RunningComponent {
    private let log: ServiceLog

    init(_ parameters: ComponentParameters) { log = parameters.log }

    func addLastListeners(_ service: ComponentContext) throws {
        try service.mediator.addListener(CacheFlushListener(mediator: service.mediator, log: log))
    }
}
