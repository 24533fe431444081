// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryEventLoop
internal import BelfryLinux
internal import CBelfry
internal import Glibc

/// A wait until the manager has processed what was sent: this process holds one end of a pipe, and the manager closes
/// the other.
final class ServiceManagerBarrier {
    private typealias Outcome = ServiceManagerSocket.Outcome

    private let descriptor: OwnedDescriptor
    private var sources: [LoopSource] = []
    private var completion: ((ServiceManagerSocket.Outcome) -> Void)?

    /// Sends a barrier, and keeps itself alive until it is over.
    static func send(
        by socket: ServiceManagerSocket, on loop: MainEventLoop, limit: Duration,
        _ completion: @escaping (ServiceManagerSocket.Outcome) -> Void
    ) {
        let (outcome, end) = begin(by: socket)
        guard let end else { return completion(outcome) }
        let barrier = ServiceManagerBarrier(end, completion)
        do throws(SystemError) {
            let hangUp = try loop.source(descriptor: end.number, []) { _ in barrier.end(.sent) }
            let timer = try loop.timer(after: limit) {
                barrier.end(.failed(SystemError(ETIMEDOUT, verb: "wait for", object: "service manager")))
            }
            barrier.sources = [hangUp, timer]
        } catch {
            barrier.end(.failed(error))
        }
    }

    /// Sends a barrier, and blocks until it is over: for the end of the process, when no loop runs any more.
    static func wait(by socket: ServiceManagerSocket, limit: Duration) {
        guard case (.sent, let end?) = begin(by: socket) else { return }
        var hangUp = pollfd(fd: end.number, events: 0, revents: 0)
        withExtendedLifetime(end) { _ = poll(&hangUp, 1, Int32(clamping: limit.microseconds / 1000)) }
    }

    /// Sends a barrier. Returns what became of it, and if it is under way the end of the pipe that will hang up.
    private static func begin(by socket: ServiceManagerSocket) -> (Outcome, OwnedDescriptor?) {
        var ends: [Int32] = [-1, -1]
        let made = belfry_pipe(&ends)
        guard made >= 0 else { return (.failed(SystemError(made, verb: "make", object: "pipe")), nil) }
        let (ours, theirs) = (OwnedDescriptor(owning: ends[0]), OwnedDescriptor(owning: ends[1]))
        let outcome = withExtendedLifetime(theirs) { socket.send([.barrier], descriptors: [theirs.number]) }
        return (outcome, outcome.isUnderWay ? ours : nil)
    }

    private init(_ descriptor: OwnedDescriptor, _ completion: @escaping (ServiceManagerSocket.Outcome) -> Void) {
        self.descriptor = descriptor
        self.completion = completion
    }

    private func end(_ outcome: Outcome) {
        let body = completion
        completion = nil
        for source in sources { source.cancel() }
        sources = []
        body?(outcome)
    }
}
