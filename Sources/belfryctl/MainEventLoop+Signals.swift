// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import EventLoop
import Glibc
import SystemErrors

extension MainEventLoop {
    /// A source for a signal that is blocked from now on, so that only the source hears of it.
    @MainActor
    func blockedSource(signal number: Int32, _ handler: @escaping () -> Void) throws(SystemError) -> SignalEventSource {
        var set = sigset_t()
        sigemptyset(&set)
        sigaddset(&set, number)
        pthread_sigmask(SIG_BLOCK, &set, nil)
        return try source(signal: number) { _ in handler() }
    }
}
