// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import BelfryClient
package import BelfryEventLoop
package import BelfryLinux
import CBelfry
import Glibc

/// Waits for the end of a command that runs until something ends it: a signal, a failure, a timeout or its own result.
@MainActor
package final class SessionCompletion {
    private var signals: SignalEventSource?
    private var timer: TimerEventSource?
    private var continuation: CheckedContinuation<Result<CommandStatus, ClientFailure>, Never>?

    package init() {}

    /// Calls `handler` for SIGINT, SIGTERM and SIGHUP in place of their default action, calls `begin`, and returns the
    /// argument of the first call of `finish`.
    package func wait(
        on loop: MainEventLoop, signals handler: @escaping (_ number: Int32) -> Void, _ begin: () -> Void
    ) async throws(SystemError) -> Result<CommandStatus, ClientFailure> {
        let numbers: Set = [SIGINT, SIGTERM, SIGHUP]
        var set = sigset_t()
        sigemptyset(&set)
        // SIGCHLD is for a child process of the command.
        for number in numbers.union([SIGCHLD]) { sigaddset(&set, number) }
        pthread_sigmask(SIG_BLOCK, &set, nil)
        signals = try loop.source(signals: numbers) { handler($0.number) }
        return await withCheckedContinuation {
            continuation = $0
            begin()
        }
    }

    /// Ends the command with a failure after this time, unless the timeout is cancelled.
    package func setTimeout(_ limit: Duration, on loop: MainEventLoop, _ failure: ClientFailure) throws(SystemError) {
        timer = try loop.timer(after: limit) { [weak self] in self?.finish(.failure(failure)) }
    }

    package func cancelTimeout() { timer = nil }

    /// Ends the command, unless it has ended.
    package func finish(_ result: Result<CommandStatus, ClientFailure>) {
        continuation?.resume(returning: result)
        continuation = nil
    }
}
