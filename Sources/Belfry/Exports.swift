// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryConfiguration

// A service imports Belfry and has the mediator and the loop with it, as NIO hands on NIOCore.
@_exported public import BelfryEventLoop
@_exported public import Lifecycle
// For a mediator of one's own on the loop.
@_exported public import class BelfrySources.EventLoopClock

/// The version of this library.
public nonisolated enum BelfryVersion {
    /// By the rules of semantic versioning.
    public static let current = ReleaseVersion.current
}
