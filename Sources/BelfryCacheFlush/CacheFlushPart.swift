// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import Belfry
internal import Lifecycle
internal import BelfryListeners

/// Keeps cache directories within their bounds.
final class CacheFlushPart: AssembledPart {
    private let log: ServiceLog

    init(_ foundation: PartFoundation) { log = foundation.log }

    func addLastListeners(_ service: PartSurroundings) throws {
        try service.mediator.addListener(CacheFlushListener(mediator: service.mediator, log: log))
    }
}
