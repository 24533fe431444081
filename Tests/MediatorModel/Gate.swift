// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Synchronization

/// Holds one task until it is opened, once, which may be before the task comes.
///
/// The continuation is set before its task arrives, and read by whoever arrives second. There is no lock: when two
/// threads want it the kernel hands Swift's `Mutex` over, which Thread Sanitizer does not see.
nonisolated final class Gate: Sendable {
    private nonisolated(unsafe) var continuation: UnsafeContinuation<Void, Never>?  // set, then read
    private let arrivals = Atomic(0)

    /// Waits on the executor of the caller's choice.
    @MainActor func wait() async { await withUnsafeContinuation { admit($0) } }

    /// Waits on the global executor.
    @concurrent func waitElsewhere() async { await withUnsafeContinuation { admit($0) } }

    func open() { arrive() }

    private func admit(_ continuation: UnsafeContinuation<Void, Never>) {
        self.continuation = continuation
        arrive()
    }

    /// The task and whoever opens arrive; the second one lets the task go on.
    private func arrive() {
        if arrivals.wrappingAdd(1, ordering: .acquiringAndReleasing).oldValue == 1 { continuation?.resume() }
    }
}
