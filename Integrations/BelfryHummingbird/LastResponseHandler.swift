// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

#if Hummingbird
internal import HTTPTypes
public import HummingbirdCore
internal import NIOCore
internal import NIOHTTPTypes

nonisolated extension HTTP1Channel.Configuration {
    /// Loses no request at a pause, a stop or a restart: the last response of a connection says `Connection: close`,
    /// and an idle one is closed half a second later. Also for the streams of HTTP/2, which needs neither.
    public static var draining: Self { .init(additionalChannelHandlers: [LastResponseHandler()]) }
}

/// Ends a connection at the graceful shutdown without losing a request.
///
/// A connection that is closed while it is idle loses the request that the client is sending at that moment. So the
/// last response says `Connection: close`, after which the client sends nothing, and the connection is closed when that
/// response is written. An idle connection waits for one more request, for `idleLimit` at most.
nonisolated final class LastResponseHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private static let idleLimit = TimeAmount.milliseconds(500)

    private var requests = 0
    private var isShuttingDown = false
    private var isLastResponse = false

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        // A channel with a parent is a stream of HTTP/2, which has no such header.
        guard event is ChannelShouldQuiesceEvent, context.channel.parent == nil else {
            return context.fireUserInboundEventTriggered(event)
        }
        isShuttingDown = true
        closeIfIdle(context)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .head = unwrapInboundIn(data) { requests += 1 }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head(var head) where isShuttingDown && requests == 1:
            isLastResponse = true
            head.headerFields[.connection] = "close"
            context.write(wrapOutboundOut(.head(head)), promise: promise)
        case .end where isLastResponse:
            let written = promise ?? context.eventLoop.makePromise()
            let channel = context.channel
            written.futureResult.whenComplete { _ in channel.close(promise: nil) }
            context.writeAndFlush(data, promise: written)
        case .end:
            requests -= 1
            context.write(data, promise: promise)
            if isShuttingDown { closeIfIdle(context) }
        default:
            context.write(data, promise: promise)
        }
    }

    private func closeIfIdle(_ context: ChannelHandlerContext) {
        let channel = context.channel
        context.eventLoop.assumeIsolated().scheduleTask(in: Self.idleLimit) { [self] in
            // Less than none: Hummingbird also answers what is no request, and then waits for the client to leave.
            if requests <= 0 { channel.close(promise: nil) }
        }
    }
}
#endif
