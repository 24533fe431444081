// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// What belfryctl tells its caller, by the numbers of sysexits.h.
package nonisolated struct CommandStatus: RawRepresentable, Sendable, Equatable {
    /// It was done.
    package static let success = CommandStatus(rawValue: 0)
    /// It was done, and a listener failed, or nobody would do it.
    package static let failure = CommandStatus(rawValue: 1)
    /// The arguments make no sense.
    package static let usage = CommandStatus(rawValue: 64)
    /// The service cannot be reached, or gives no answer that can be used.
    package static let unavailable = CommandStatus(rawValue: 69)
    /// The system refused something.
    package static let system = CommandStatus(rawValue: 71)
    /// The caller may not do this.
    package static let permission = CommandStatus(rawValue: 77)
    /// The configuration was refused.
    package static let configuration = CommandStatus(rawValue: 78)

    /// The number.
    package let rawValue: Int32

    /// Any other number, such as that of a command that was run.
    package init(rawValue: Int32) { self.rawValue = rawValue }
}
