// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

// A service that imports Belfry also gets the mediator, the loop, the error that the loop throws, owned descriptors,
// and a type for settings.
@_exported public import struct BelfryConfiguration.ByteSize
@_exported public import BelfryEventLoop
@_exported public import class BelfryLinux.OwnedDescriptor
@_exported public import struct BelfryLinux.SystemError
// The clock for a second mediator on the loop.
@_exported public import class BelfrySources.EventLoopClock
@_exported public import Lifecycle
