// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// Thrown by a listener to refuse what it is asked: a launch, or a new configuration.
public nonisolated struct LifecycleRefusal: Error, Sendable, Equatable, CustomStringConvertible {
    /// Why, as the operator shall read it.
    public let reason: String

    /// A refusal for this reason.
    public init(_ reason: String) { self.reason = reason }

    /// The reason itself.
    public var description: String { reason }
}
