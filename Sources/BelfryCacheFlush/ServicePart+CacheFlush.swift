// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

public import Belfry
internal import BelfryListeners
internal import Lifecycle

extension ServicePart {
    /// Writes back and trims the directories of the configuration's `[Cache NAME]` sections, on the notifications that each
    /// names: without a word of it when the service is asked to flush, and when memory is short.
    public nonisolated static var cacheFlush: ServicePart { ServicePart("cacheFlush") { CacheFlushPart($0) } }
}

/// Keeps cache directories within their bounds.
final class CacheFlushPart: AssembledPart {
    private let log: ServiceLog

    init(_ foundation: PartFoundation) { log = foundation.log }

    func addLastListeners(_ service: PartSurroundings) throws {
        try service.mediator.addListener(CacheFlushListener(mediator: service.mediator, log: log))
    }
}
