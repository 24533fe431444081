// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

// What is sent and received, the loop that servers and clients run on, and the error that both throw.
@_exported public import BelfryEventLoop
@_exported public import BelfryJSON
@_exported public import struct BelfryLinux.SystemError
