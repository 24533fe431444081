// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// Numbers the notifications. A service stores the last number outside the process, so that no number is used twice
/// within a boot.
package protocol LifecycleSequence: AnyObject {
    /// The number of the last notification; 0 before the first.
    var last: UInt64 { get }

    /// Names this count: other processes with the same id continue its numbers. Nil if that is not certain.
    var id: String? { get }

    /// Returns the next number.
    func next() -> UInt64
}

/// Numbers that are not stored.
package final class TransientSequence: LifecycleSequence {
    /// The number of the last notification; 0 before the first.
    package private(set) var last: UInt64

    /// The id of this count.
    package let id: String?

    /// Begins after `last`.
    package init(after last: UInt64 = 0, id: String? = nil) {
        self.last = last
        self.id = id
    }

    /// Returns the next number.
    package func next() -> UInt64 {
        last += 1
        return last
    }
}
