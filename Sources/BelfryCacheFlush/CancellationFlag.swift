// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import Synchronization

/// Says across threads that work is to be given up.
nonisolated final class CancellationFlag: Sendable {
    private let flag = Atomic(false)

    /// Whether it is to be given up.
    var isRaised: Bool { flag.load(ordering: .relaxed) }

    func raise() { flag.store(true, ordering: .relaxed) }
}
