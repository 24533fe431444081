// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// Says that the services of a group do their work: that the port is open, the queue is joined, the cache is warm.
///
/// swift-service-lifecycle knows that a service runs, and not that it is ready. A service that is given one of these
/// says so itself, and the launch waits for it:
///
///     let ready = ServiceReadiness()
///     let app = Application(router: router, onServerRunning: { _ in ready.signal() })
public nonisolated final class ServiceReadiness: Sendable {
    private let stream: AsyncStream<Never>
    private let continuation: AsyncStream<Never>.Continuation

    /// Not ready yet.
    public init() { (stream, continuation) = AsyncStream.makeStream() }

    /// Ready. May be called from any thread, and more than once.
    public func signal() { continuation.finish() }

    /// Returns once it was signalled, or when the task is cancelled.
    func wait() async {
        for await _ in stream {}
    }
}
