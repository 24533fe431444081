// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// What moves a service from one state to another.
public nonisolated enum LifecycleTrigger: String, Sendable, CaseIterable {
    /// The process has started.
    case launch
    /// A listener refused the launch.
    case refuseLaunch
    /// Go to the background: SIGTSTP, `belfryctl pause`, a machine about to sleep.
    case pause
    /// Come back from the background or from an interruption: SIGCONT, `belfryctl resume`, a machine that woke.
    case resume
    /// Stop being active for a short time.
    case interrupt
    /// The process is about to stop itself, in the background.
    case suspend
    /// The process was stopped and runs again: SIGCONT after SIGSTOP, a thawed cgroup, a machine that woke.
    case endSuspension
    /// Read the configuration anew.
    case reload
    /// Terminate: SIGTERM, SIGINT.
    case stop
}
