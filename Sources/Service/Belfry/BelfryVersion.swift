// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryConfiguration

/// The version of this library.
public nonisolated enum BelfryVersion {
    /// By the rules of semantic versioning.
    public static let current = ReleaseVersion.current
}
