// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// One thing that is wrong in the configuration, and where.
package nonisolated struct ConfigurationDiagnostic: Sendable, Hashable, CustomStringConvertible {
    /// How bad it is: an error refuses the whole configuration, a warning does not.
    package enum Severity: String, Sendable {
        case error, warning
    }

    /// Where it is.
    package let position: ConfigurationPosition
    /// Whether it refuses the configuration.
    package let severity: Severity
    /// What is wrong: lower case, no final stop, safe to print on a terminal.
    package let message: String
    /// The error number of the system, where it is the system that refused something.
    package let errorNumber: Int32?

    /// A diagnostic about `position`.
    package init(
        _ severity: Severity, at position: ConfigurationPosition, _ message: String, errorNumber: Int32? = nil
    ) {
        self.position = position
        self.severity = severity
        self.message = message
        self.errorNumber = errorNumber
    }

    /// `file:line:column: error: message`.
    package var description: String { "\(position): \(severity.rawValue): \(message)" }
}
