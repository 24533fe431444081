// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

public import Belfry
internal import BelfryListeners
internal import Lifecycle

extension ServiceComponent {
    /// Writes back and trims the directories of the configuration's `[Cache NAME]` sections, on the notifications that each
    /// names: without a word of it when the service is asked to flush, and when memory is short.
    public nonisolated static var cacheFlush: ServiceComponent {
        ServiceComponent("cacheFlush") { CacheFlushComponent($0) }
    }
}

/// Keeps cache directories within their bounds.
final class CacheFlushComponent: RunningComponent {
    private let log: ServiceLog

    init(_ parameters: ComponentParameters) { log = parameters.log }

    func addLastListeners(_ service: ComponentContext) throws {
        try service.mediator.addListener(CacheFlushListener(mediator: service.mediator, log: log))
    }
}
