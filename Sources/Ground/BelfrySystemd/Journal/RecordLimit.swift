// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// How many records may wait for the same step on their way.
package nonisolated enum RecordLimit {
    /// How many.
    package static let records = 4096
    /// How many bytes of them.
    package static let bytes = 8 << 20
}
