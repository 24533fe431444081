// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryConfiguration

// A service that imports Belfry also gets the mediator, the loop, and the error that the loop throws.
@_exported public import BelfryEventLoop
@_exported public import struct BelfryLinux.SystemError
// The clock for a second mediator on the loop.
@_exported public import class BelfrySources.EventLoopClock
@_exported public import Lifecycle

/// The version of this library.
public nonisolated enum BelfryVersion {
    /// By the rules of semantic versioning.
    public static let current = ReleaseVersion.current
}
