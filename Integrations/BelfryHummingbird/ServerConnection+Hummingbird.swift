// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

#if Hummingbird
public import Belfry
internal import BelfryNIO
public import BelfryServer
public import HummingbirdCore
public import Logging
public import NIOCore
public import NIOPosix

extension ServerConnection {
    /// Serves HTTP with a channel of Hummingbird, as its `Application` does on a port that it opens itself.
    ///
    ///     let answer = router.buildResponder().answer(logger: logger)
    ///     let http = HTTP1Channel(responder: answer, configuration: .draining)
    ///     try service.mediator.addListener(
    ///         ConnectionServer(service, named: "http", at: .port(8080)) { try $0.serve(http, logger: logger) })
    ///
    /// - Parameters:
    ///   - http: an `HTTP1Channel`, or for TLS and HTTP/2 a `TLSChannel`, `HTTP2Channel` or `HTTP2UpgradeChannel`.
    ///   - group: the threads of the channel.
    ///   - logger: what Hummingbird logs to.
    /// - Returns: asks the connection to finish: its last response says so. With HTTP/1.1 this needs the configuration
    ///   `draining`.
    /// - Throws: `EMFILE` without room for another descriptor, `EBADF` after `end()`.
    public func serve(
        _ http: some ServerChildChannel, on group: any EventLoopGroup = .singletonMultiThreadedEventLoopGroup,
        logger: Logger
    ) throws(SystemError) -> () -> Void {
        try serve(on: group) { channel in
            // Below HTTP/2 without TLS, and with TLS between both: HTTP/2 is added last, after the handshake.
            channel.pipeline.addHandler(LaterCloseHandler())
                .flatMap { http.setup(channel: channel, logger: logger) }
                .flatMap { value in channel.pipeline.addHandler(LaterCloseHandler()).map { value } }
        } handle: {
            await http.handle(value: $0, logger: logger)
        }
    }
}
#endif
