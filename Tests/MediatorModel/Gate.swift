// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Synchronization

/// Holds one task until it is opened, which may be before the task comes.
nonisolated final class Gate: Sendable {
    private enum State {
        case closed
        case waiting(UnsafeContinuation<Void, Never>)
        case open
    }

    private let state = Mutex(State.closed)

    /// Waits on the executor of the caller's choice.
    @MainActor func wait() async { await withUnsafeContinuation { admit($0) } }

    /// Waits on the global executor.
    @concurrent func waitElsewhere() async { await withUnsafeContinuation { admit($0) } }

    func open() {
        let waiting: UnsafeContinuation<Void, Never>? = state.withLock { state in
            defer { state = .open }
            if case .waiting(let continuation) = state { return continuation }
            return nil
        }
        waiting?.resume()
    }

    private func admit(_ continuation: UnsafeContinuation<Void, Never>) {
        let isOpen = state.withLock { state in
            if case .open = state { return true }
            state = .waiting(continuation)
            return false
        }
        if isOpen { continuation.resume() }
    }
}
