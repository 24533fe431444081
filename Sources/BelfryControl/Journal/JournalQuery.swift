// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// Which notifications are asked for.
package nonisolated struct JournalQuery: Sendable, Equatable {
    /// The program that wrote them (SYSLOG_IDENTIFIER).
    package var service: String
    /// Only these; all when empty.
    package var names: [String] = []
    /// Not before this, in microseconds of CLOCK_REALTIME.
    package var since: Int64?
    /// Not after this.
    package var until: Int64?
    /// Only of this boot: an id, or a number: 0 is this boot, -1 the one before it.
    package var boot: String?
    /// Only the last so many.
    package var limit: Int?

    /// All notifications of a service.
    package init(service: String) { self.service = service }
}
