// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// One section as it occurs in a file: `[Name]` or `[Name INSTANCE]`, and the assignments below it.
package nonisolated struct IniSection: Sendable, Equatable {
    /// The name of the section.
    package let name: IniText
    /// What follows the name within the brackets.
    package let instance: IniText?
    /// The assignments in the order of the file.
    package internal(set) var entries: [IniEntry] = []
}

/// One assignment, `Key=Value`.
package nonisolated struct IniEntry: Sendable, Equatable {
    /// The key as written.
    package let key: IniText
    /// The value as written, continued lines joined, without white space around it.
    package let value: IniText
}
