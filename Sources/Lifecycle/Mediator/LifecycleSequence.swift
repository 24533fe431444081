// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// Keeps the number of the last notification. A service keeps it where it outlives the process, so that no number is
/// given twice within a boot.
public protocol LifecycleSequence: AnyObject {
    /// The number of the last notification; 0 before the first.
    var last: UInt64 { get }

    /// Counts one more, and returns its number.
    func next() -> UInt64
}

/// Numbers that end with the process.
public final class TransientSequence: LifecycleSequence {
    /// The number of the last notification; 0 before the first.
    @exclusivity(unchecked) public private(set) var last: UInt64

    /// Counts on from `last`, 0 for a service that has told of nothing yet.
    public init(after last: UInt64 = 0) { self.last = last }

    /// Counts one more, and returns its number.
    public func next() -> UInt64 {
        last += 1
        return last
    }
}
