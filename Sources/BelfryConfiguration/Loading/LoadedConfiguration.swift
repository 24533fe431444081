// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// What came out of reading the configuration.
package nonisolated struct LoadedConfiguration: Sendable {
    /// The settings; nil when there was an error.
    package let settings: BelfrySettings?
    /// All errors and warnings, in the order of the files and lines.
    package let diagnostics: [ConfigurationDiagnostic]
    /// What holds for each key and where it was set, for showing; sections that a program added to the table are here.
    package let effective: EffectiveConfiguration
    /// The files that were read, the least important first.
    package let files: [String]
}
