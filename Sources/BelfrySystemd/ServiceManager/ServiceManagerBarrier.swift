// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryEventLoop
internal import BelfryLinux
internal import CBelfry
internal import Glibc

/// A wait until the manager has processed what was sent: this process holds one end of a pipe, and the manager closes
/// the other.
@MainActor  // in words: an optimised client module of Swift 6.3 misses the default, and then rejects the deinit
final class ServiceManagerBarrier {
    private typealias Outcome = ServiceManagerSocket.Outcome

    private let descriptor: Int32
    private var sources: [LoopSource] = []
    private var completion: ((ServiceManagerSocket.Outcome) -> Void)?

    /// Sends a barrier, and keeps itself alive until it is over.
    static func send(
        by socket: ServiceManagerSocket, on loop: MainEventLoop, limit: Duration,
        _ completion: @escaping (ServiceManagerSocket.Outcome) -> Void
    ) {
        var ends: [Int32] = [-1, -1]
        let made = belfry_pipe(&ends)
        guard made >= 0 else {
            return completion(.failed(SystemError(made, verb: "make", object: "pipe")))
        }
        let outcome = socket.send([.barrier], descriptors: [ends[1]])
        Glibc.close(ends[1])
        guard outcome.isUnderWay else {
            Glibc.close(ends[0])
            return completion(outcome)
        }
        let barrier = ServiceManagerBarrier(ends[0], completion)
        do throws(SystemError) {
            let hangUp = try loop.source(descriptor: ends[0], []) { _ in barrier.end(.sent) }
            let timer = try loop.timer(after: limit) {
                barrier.end(.failed(SystemError(ETIMEDOUT, verb: "wait for", object: "service manager")))
            }
            barrier.sources = [hangUp, timer]
        } catch {
            barrier.end(.failed(error))
        }
    }

    private init(_ descriptor: Int32, _ completion: @escaping (ServiceManagerSocket.Outcome) -> Void) {
        self.descriptor = descriptor
        self.completion = completion
    }

    isolated deinit { Glibc.close(descriptor) }

    private func end(_ outcome: Outcome) {
        let body = completion
        completion = nil
        for source in sources { source.cancel() }
        sources = []
        body?(outcome)
    }
}
