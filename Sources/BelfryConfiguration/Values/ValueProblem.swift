// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// Why a value, or a key, cannot be taken as it stands.
package nonisolated struct ValueProblem: Error, Sendable, Equatable {
    /// What is wrong: lower case, no final stop.
    package let message: String
    /// Where in the value, in Unicode scalars from its beginning.
    package let offset: Int

    /// A problem at `offset`.
    package init(_ message: String, offset: Int = 0) {
        self.message = message
        self.offset = offset
    }
}
