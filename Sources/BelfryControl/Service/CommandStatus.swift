// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// What belfryctl tells its caller, by the numbers of sysexits.h.
package nonisolated enum CommandStatus: Int32, Sendable {
    /// It was done.
    case success = 0
    /// It was done, and a listener failed.
    case failure = 1
    /// The arguments make no sense.
    case usage = 64
    /// The service cannot be reached, or gives no answer that can be used.
    case unavailable = 69
    /// The system refused something.
    case system = 71
    /// The caller may not do this.
    case permission = 77
    /// The configuration was refused.
    case configuration = 78
}
