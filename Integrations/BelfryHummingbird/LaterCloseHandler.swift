// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

#if Hummingbird
internal import NIOCore

/// Closes a connection in the next turn of its event loop.
///
/// Hummingbird (2.28.1) closes a connection of HTTP/2 that shuts down as soon as its last stream has ended: while the
/// end of the response is being written, and before any of it is flushed, so that the client gets none of it.
nonisolated final class LaterCloseHandler: ChannelOutboundHandler, Sendable {
    typealias OutboundIn = Any

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        context.eventLoop.assumeIsolated().execute { context.close(mode: mode, promise: promise) }
    }
}
#endif
