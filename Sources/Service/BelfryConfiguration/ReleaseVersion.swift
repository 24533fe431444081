// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// The version of this release, as `--version` and the socket tell it.
package nonisolated enum ReleaseVersion {
    /// By semantic versioning.
    package static let current = "0.1.0"
}
