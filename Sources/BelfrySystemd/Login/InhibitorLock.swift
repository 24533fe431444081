// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import Glibc

/// A lock of logind, held until it is released or dropped.
@MainActor
package final class InhibitorLock {
    /// What it delays.
    package enum Operation: String, Sendable, CaseIterable {
        case sleep, shutdown
    }

    private var descriptor: Int32

    /// Takes over the descriptor that stands for the lock.
    package init(_ descriptor: Int32) { self.descriptor = descriptor }

    isolated deinit { release() }

    /// Gives the lock back. Calling it again does nothing.
    package func release() {
        guard descriptor >= 0 else { return }
        close(descriptor)
        descriptor = -1
    }
}
