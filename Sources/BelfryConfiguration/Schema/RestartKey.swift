// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// A key whose change takes a restart, and was changed without one.
package nonisolated struct RestartKey: Sendable, Equatable, CustomStringConvertible {
    /// The section it is in.
    package let section: String
    /// The key.
    package let name: String
    /// Where it is set now; nil when it has its default again.
    package let position: ConfigurationPosition?

    /// `[Section] Key=`, and where that is set.
    package var description: String { "[\(section)] \(name)=" + (position.map { " (\($0))" } ?? "") }
}
