// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import CBelfry
import BelfryClient
import BelfryEventLoop
import Glibc
import BelfryLinux

/// The end of a command that goes on by itself, which a signal can ask for too.
@MainActor
final class SessionEnd {
    private var signals: [SignalEventSource] = []
    private var timer: TimerEventSource?
    private var continuation: CheckedContinuation<Result<CommandStatus, ControlFailure>, Never>?

    /// Has SIGINT, SIGTERM and SIGHUP do nothing any more but call `handler`, begins, and returns what `reach` is given.
    func wait(
        on loop: MainEventLoop, signals handler: @escaping (_ number: Int32) -> Void, _ begin: () -> Void
    ) async throws(SystemError) -> Result<CommandStatus, ControlFailure> {
        for number in [SIGINT, SIGTERM, SIGHUP] {
            var set = sigset_t()
            sigemptyset(&set)
            sigaddset(&set, number)
            pthread_sigmask(SIG_BLOCK, &set, nil)
            signals.append(try loop.source(signal: number) { _ in handler(number) })
        }
        return await withCheckedContinuation {
            continuation = $0
            begin()
        }
    }

    /// Ends the command with a failure after a while, unless something comes first.
    func limit(_ limit: Duration, on loop: MainEventLoop, _ failure: ControlFailure) throws(SystemError) {
        timer = try loop.timer(after: limit) { [weak self] in self?.reach(.failure(failure)) }
    }

    /// What was waited for in a limited time has come.
    func endLimit() { timer = nil }

    /// Ends the command, unless it has ended.
    func reach(_ result: Result<CommandStatus, ControlFailure>) {
        continuation?.resume(returning: result)
        continuation = nil
    }
}
