// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// What holds for one key after all files were read.
package nonisolated struct EffectiveSetting: Sendable {
    /// The key in its one spelling.
    package let key: String
    /// The value as it could be written.
    package internal(set) var text: String
    /// The value; nil when nothing is set and there is no default.
    package internal(set) var value: SettingValue?
    /// Where the last assignment stands; nil for a default.
    package internal(set) var origin: ConfigurationPosition?
}
