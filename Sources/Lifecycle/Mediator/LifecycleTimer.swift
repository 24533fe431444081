// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// A call that a `LifecycleClock` will make.
public protocol LifecycleTimer: AnyObject {
    /// Gives the call up. Does nothing when it was made already.
    func cancel()
}
