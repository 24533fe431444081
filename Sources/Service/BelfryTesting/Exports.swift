// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

// A test that imports BelfryTesting also gets scripts, the manual clock and the recording listener.
@_exported public import LifecycleTesting
