// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// Which notifications are asked for.
package nonisolated struct JournalQuery: Sendable, Equatable {
    /// The service that wrote them.
    package var service: JournalService
    /// Only these; all when empty.
    package var names: [String] = []
    /// Not before this, in microseconds of CLOCK_REALTIME.
    package var since: Int64?
    /// Not after this.
    package var until: Int64?
    /// Only of this boot.
    package var boot: JournalBoot?
    /// Only the last so many.
    package var limit: Int?

    /// All notifications of a service.
    package init(service: JournalService) { self.service = service }
}
