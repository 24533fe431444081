// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryEventLoop

/// The replies to one call with `more`, in order. The sequence ends after the last one, or throws the service's error or why
/// no more replies came. It can be iterated once.
public nonisolated struct VarlinkReplies: AsyncSequence, Sendable {
    /// The parameters of a reply.
    public typealias Element = JSONObject
    /// Why no more replies come.
    public typealias Failure = VarlinkError

    private let buffer: ReplyBuffer

    @MainActor
    init(_ method: String, _ parameters: JSONObject, of client: VarlinkClient) {
        buffer = ReplyBuffer(client)
        client.more(method, parameters) { [weak buffer] in buffer?.add($0) }
    }

    /// The replies, from the first one not handed out yet.
    public func makeAsyncIterator() -> Iterator { Iterator(buffer: buffer) }

    /// Hands out the replies.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let buffer: ReplyBuffer

        /// The next reply, or nil after the last one.
        ///
        /// - Throws: the service's error, or why no more replies come, such as `VarlinkError.closed`.
        public mutating func next() async throws(VarlinkError) -> JSONObject? {
            try await buffer.next()
        }

        /// The next reply, or nil after the last one.
        ///
        /// - Throws: the service's error, or why no more replies come, such as `VarlinkError.closed`.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(VarlinkError) -> JSONObject? {
            try await buffer.next()
        }
    }
}

/// Buffers replies between the connection and the task that iterates over them.
final class ReplyBuffer {
    private typealias Waiter = CheckedContinuation<Result<JSONObject?, VarlinkError>, Never>

    /// How many replies are buffered before no more are read.
    private static let capacity = 1024

    private let client: VarlinkClient
    private var replies: [JSONObject] = []
    private var head = 0
    private var end: Result<JSONObject?, VarlinkError>?
    private var waiter: Waiter?

    init(_ client: VarlinkClient) { self.client = client }

    isolated deinit { client.isPaused = false }

    func add(_ result: Result<VarlinkReply, VarlinkError>) {
        switch result {
        case .success(let reply):
            if !reply.continues { end = .success(nil) }
            if let waiter = removeWaiter() {
                waiter.resume(returning: .success(reply.parameters))
            } else {
                replies.append(reply.parameters)
                if replies.count - head >= Self.capacity, end == nil { client.isPaused = true }
            }
        case .failure(let error):
            end = .failure(error)
            removeWaiter()?.resume(returning: .failure(error))
        }
    }

    func next() async throws(VarlinkError) -> JSONObject? {
        if head < replies.count { return removeFirst() }
        if let end { return try end.get() }
        return try await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: Waiter) in
                if Task.isCancelled {
                    continuation.resume(returning: .failure(.cancelled))
                } else {
                    waiter = continuation
                }
            }
        } onCancel: {
            MainThreadExecutor.task { [weak self] in self?.removeWaiter()?.resume(returning: .failure(.cancelled)) }
        }.get()
    }

    private func removeWaiter() -> Waiter? {
        defer { waiter = nil }
        return waiter
    }

    private func removeFirst() -> JSONObject {
        defer {
            head += 1
            if head == replies.count {
                replies = []
                head = 0
                client.isPaused = false
            }
        }
        return replies[head]
    }
}
