// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// Where a service is in its life. The names are those of UIKit's application states.
public nonisolated enum LifecycleState: String, Sendable, CaseIterable {
    /// Not launched yet, or terminated.
    case notRunning
    /// Launching, or interrupted for a short time.
    case inactive
    /// Doing its work.
    case active
    /// Paused: it holds what it needs to go on, and does no work.
    case background
    /// Stopped as a process: no code runs.
    case suspended
}
