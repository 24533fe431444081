// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

#if Hummingbird
public import Hummingbird
public import HummingbirdCore
public import Logging
internal import NIOCore
internal import NIOHTTP1

nonisolated extension HTTPResponder where Context: InitializableFromSource<ApplicationRequestContextSource> {
    /// What a channel of Hummingbird needs to answer with this responder, such as a router's `buildResponder()`.
    ///
    /// As in an `Application`, each request has a logger of its own with `hb.request.id`, in its context and as
    /// `Logger.current`. Unlike there, responses have no `Date` and `Server` headers.
    ///
    /// - Parameter logger: the logger. An error that no middleware makes a response is logged, and answered with 500.
    public func answer(logger: Logger) -> HTTPChannelHandler.Responder {
        { request, writer, channel in
            var logger = logger
            logger[metadataKey: "hb.request.id"] = .stringConvertible(RequestID())
            let response = try await withLogger(logger) { logger in
                do {
                    return try await respond(
                        to: request, context: Context(source: .init(channel: channel, logger: logger)))
                } catch let error as HTTPParserError {
                    throw error
                } catch {
                    logger.error("unable to answer", error: error, metadata: ["path": "\(request.uri.path)"])
                    return Response(status: .internalServerError)
                }
            }
            do {
                try await writer.write(response: response.head, body: response.body)
            } catch is HTTPParserError {
                // The channel answers a parser error, and this request has its answer already.
                throw ChannelError.inputClosed
            }
        }
    }
}
#endif
