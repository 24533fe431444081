// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

// A service imports Belfry and has the mediator and the loop with it, as NIO hands on NIOCore.
@_exported public import BelfryEventLoop
@_exported public import Lifecycle
// For a mediator of one's own on the loop.
@_exported public import class BelfrySources.EventLoopClock
