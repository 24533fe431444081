// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// The replies to one call with `more`, in order. Ends after the last one; throws the service's error, or why no more
/// came. To be iterated once.
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
