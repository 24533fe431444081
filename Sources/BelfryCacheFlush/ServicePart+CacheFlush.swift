// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

public import Belfry

extension ServicePart {
    /// Writes back and trims the directories of the configuration's `[Cache NAME]` sections, on the notifications that each
    /// names: without a word of it when the service is asked to flush, and when memory is short.
    public nonisolated static var cacheFlush: ServicePart { ServicePart("cacheFlush") { CacheFlushPart($0) } }
}
