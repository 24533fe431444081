// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import BelfryClient
package import BelfryEventLoop
package import BelfryLinux
import Glibc

/// Waits for the end of a command that runs until something ends it: a failure, a timeout, its own result, or the end
/// of its output.
@MainActor
package final class SessionCompletion {
    private var signals: SignalEventSource?
    private var output: DescriptorEventSource?
    private var endsWithOutput = false
    private var timer: TimerEventSource?
    private var continuation: CheckedContinuation<Result<CommandStatus, ClientFailure>, Never>?

    package init() {}

    /// Calls `begin`, and returns the argument of the first call of `finish`.
    package func wait(_ begin: () -> Void) async -> Result<CommandStatus, ClientFailure> {
        await withCheckedContinuation {
            continuation = $0
            begin()
        }
    }

    /// Calls `handler` for SIGINT, SIGTERM and SIGHUP, which otherwise end the process.
    package func receiveSignals(
        on loop: MainEventLoop, _ handler: @escaping (_ number: Int32) -> Void
    ) throws(SystemError) {
        let numbers: Set = [SIGINT, SIGTERM, SIGHUP]
        var set = sigset_t()
        sigemptyset(&set)
        // SIGCHLD is for a child process of the command.
        for number in numbers.union([SIGCHLD]) { sigaddset(&set, number) }
        pthread_sigmask(SIG_BLOCK, &set, nil)
        signals = try loop.source(signals: numbers) { handler($0.number) }
    }

    /// Ends the command with success once nobody reads its standard output any more, even if it has nothing to write.
    package func finishWithOutput(on loop: MainEventLoop) {
        endsWithOutput = true
        // A regular file always has somebody: epoll(7) refuses it.
        output = try? loop.source(descriptor: StandardStream.output.descriptor, []) { [weak self] in
            if !$0.isDisjoint(with: [.error, .hangUp]) { self?.finish(.success(.success)) }
        }
    }

    /// Writes lines to standard output, whose failure may end the command.
    package func write(_ lines: [String]) {
        StandardStream.output.write(lines)
        if endsWithOutput, StandardStream.output.hasFailed { finish(.success(.success)) }
    }

    /// Ends the command with a failure after this time, unless the timeout is cancelled.
    package func setTimeout(_ limit: Duration, on loop: MainEventLoop, _ failure: ClientFailure) throws(SystemError) {
        timer = try loop.timer(after: limit) { [weak self] in self?.finish(.failure(failure)) }
    }

    package func cancelTimeout() { timer = nil }

    /// Ends the command, unless it has ended.
    package func finish(_ result: Result<CommandStatus, ClientFailure>) {
        output = nil
        continuation?.resume(returning: result)
        continuation = nil
    }
}
