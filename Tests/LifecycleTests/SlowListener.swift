// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Lifecycle

/// Takes long for one notification, by default the last, and says that it gets on whenever it is told to.
final class SlowListener: LifecycleListener {
    let name: String
    private let interest: LifecycleNotification.Name
    private let deadline: Duration
    private(set) var progress: ListenerProgress?
    private var continuation: UnsafeContinuation<Void, Never>?

    init(_ name: String, on interest: LifecycleNotification.Name = .willTerminate, deadline: Duration) {
        self.name = name
        self.interest = interest
        self.deadline = deadline
    }

    var answers: [LifecycleAnswer] {
        on(interest, deadline: deadline) { [self] _, progress in
            self.progress = progress
            await withUnsafeContinuation { continuation = $0 }
        }
    }

    func finish() { continuation?.resume() }
}
