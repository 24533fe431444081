// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// Signals that work is ready (`BelfryService.addWorker`), or the services of a group: the port is open, the queue is
/// joined, the cache is warm. The launch waits for that.
///
///     let ready = ServiceReadiness()
///     let app = Application(router: router, onServerRunning: { _ in ready.signal() })
public nonisolated final class ServiceReadiness: Sendable {
    private let stream: AsyncStream<Never>
    private let continuation: AsyncStream<Never>.Continuation

    /// A readiness that is not signalled yet.
    public init() { (stream, continuation) = AsyncStream.makeStream() }

    /// Signals readiness. May be called on any thread, and more than once.
    public func signal() { continuation.finish() }

    /// Returns when it is signalled, or when the task is cancelled.
    package func wait() async {
        for await _ in stream {}
    }
}
