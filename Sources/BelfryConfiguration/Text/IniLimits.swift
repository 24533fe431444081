// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// What a configuration file may cost.
package nonisolated struct IniLimits: Sendable {
    /// Bytes in a file.
    package var fileBytes = 1 << 20
    /// Bytes in a line, continued lines taken together.
    package var lineBytes = 64 << 10
    /// Assignments and section headers in a file.
    package var items = 16384

    /// The limits that hold for Belfry's own files.
    package init() {}
}
