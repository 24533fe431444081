// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryConfiguration

// A service that imports Belfry also gets the mediator and the loop.
@_exported public import BelfryEventLoop
@_exported public import Lifecycle
// For a second mediator on the loop.
@_exported public import class BelfrySources.EventLoopClock

/// The version of this library.
public nonisolated enum BelfryVersion {
    /// By the rules of semantic versioning.
    public static let current = ReleaseVersion.current
}
