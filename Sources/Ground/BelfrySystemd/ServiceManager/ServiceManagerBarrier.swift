// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import BelfryEventLoop
internal import BelfryLinux
internal import CBelfry
internal import Glibc

/// A barrier is over when the manager has processed what was sent: this process holds one end of a pipe, and the
/// manager closes the other (sd_notify_barrier(3)).
extension ServiceManagerSocket {
    /// Calls `completion` when the manager has processed everything that was sent before, or when `limit` is over: with
    /// `sent`, with `absent`, or with an error such as `ETIMEDOUT`, both perhaps before this returns. It does not
    /// block.
    package func barrier(on loop: MainEventLoop, limit: Duration, _ completion: @escaping (Outcome) -> Void) {
        let (outcome, end) = sendBarrier()
        guard let end else { return completion(outcome) }
        var sources: [LoopSource] = []
        func finish(_ outcome: Outcome) {
            for source in sources { source.cancel() }
            sources = []
            completion(outcome)
        }
        do throws(SystemError) {
            sources.append(try loop.source(owning: end, []) { _ in finish(.sent) })
            let late = SystemError(ETIMEDOUT, verb: "wait for", object: "service manager")
            sources.append(try loop.timer(after: limit) { finish(.failed(late)) })
        } catch {
            finish(.failed(error))
        }
    }

    /// Blocks until a barrier is over: for the end of the process, when no loop runs any more.
    func waitForBarrier(limit: Duration) {
        guard case (.sent, let end?) = sendBarrier() else { return }
        var hangUp = pollfd(fd: end.number, events: 0, revents: 0)
        withExtendedLifetime(end) { _ = poll(&hangUp, 1, Int32(clamping: limit.microseconds / 1000)) }
    }

    /// Sends a barrier. Returns what became of it, and if it is under way the end of the pipe that will hang up.
    private func sendBarrier() -> (Outcome, OwnedDescriptor?) {
        var ends: [Int32] = [-1, -1]
        let made = belfry_pipe(&ends)
        guard made >= 0 else { return (.failed(SystemError(made, verb: "make", object: "pipe")), nil) }
        let (ours, theirs) = (OwnedDescriptor(owning: ends[0]), OwnedDescriptor(owning: ends[1]))
        let outcome = withExtendedLifetime(theirs) { send([.barrier], descriptors: [theirs.number]) }
        return (outcome, outcome.isUnderWay ? ours : nil)
    }
}
