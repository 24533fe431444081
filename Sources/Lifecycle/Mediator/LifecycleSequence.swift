// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// Keeps the number of the last notification. A service keeps it where it outlives the process, so that no number is
/// given twice within a boot.
public protocol LifecycleSequence: AnyObject {
    /// The number of the last notification; 0 before the first.
    var last: UInt64 { get set }
}

/// Numbers that end with the process.
public final class TransientSequence: LifecycleSequence {
    /// The number of the last notification; 0 before the first.
    public var last: UInt64 = 0

    /// Begins with 0.
    public init() {}
}
