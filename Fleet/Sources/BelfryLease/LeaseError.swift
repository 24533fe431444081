// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// Why a lease could not be taken or given back.
package nonisolated struct LeaseError: Error, Sendable, Equatable, CustomStringConvertible {
    /// Whether the same request may succeed later: the group is full, another request came in between, or the server cannot be
    /// reached or has failed. Otherwise the request or its address is wrong.
    package let mayTryAgain: Bool
    /// One line: `unable to lock group 'GROUP' at 'URL': …`.
    package let reason: String

    package init(mayTryAgain: Bool, reason: String) {
        self.mayTryAgain = mayTryAgain
        self.reason = reason
    }

    /// The reason.
    package var description: String { reason }
}
