// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// Numbers the notifications. A service stores the last number outside the process, so that no number is used twice within a
/// boot.
package protocol LifecycleSequence: AnyObject {
    /// The number of the last notification; 0 before the first.
    var last: UInt64 { get }

    /// Returns the next number.
    func next() -> UInt64
}

/// Numbers that are not stored.
package final class TransientSequence: LifecycleSequence {
    /// The number of the last notification; 0 before the first.
    package private(set) var last: UInt64

    /// Begins after `last`.
    package init(after last: UInt64 = 0) { self.last = last }

    /// Returns the next number.
    package func next() -> UInt64 {
        last += 1
        return last
    }
}
