// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// One assignment, `Key=Value`.
package nonisolated struct IniEntry: Sendable, Equatable {
    /// The key as written.
    package let key: IniText
    /// The value as written, continued lines joined, without white space around it.
    package let value: IniText
}
