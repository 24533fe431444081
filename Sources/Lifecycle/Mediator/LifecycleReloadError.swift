// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// Thrown when a new configuration cannot be read.
public nonisolated struct LifecycleReloadError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What is wrong, a line each, as the operator shall read it.
    public let reasons: [String]

    /// An error with everything that is wrong.
    public init(_ reasons: [String]) { self.reasons = reasons }

    /// The reasons, a line each.
    public var description: String { reasons.joined(separator: "\n") }
}
