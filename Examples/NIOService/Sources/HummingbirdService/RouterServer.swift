// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryServer
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOPosix

/// Serves a Hummingbird router on connections that a `ConnectionServer` has accepted. Hummingbird's `Application` always opens a
/// port itself, and accepts until the service ends.
struct RouterServer<Responder: HTTPResponder>: Sendable
where Responder.Context: InitializableFromSource<ApplicationRequestContextSource> {
    let responder: Responder
    var logger = Logger(label: "hello")

    /// Answers requests until the client leaves, or until the last response after the service asked to finish.
    @MainActor func serve(_ connection: ServerConnection) throws -> () -> Void {
        // NIO closes its own descriptor.
        let socket = try connection.duplicate()
        let http = HTTP1Channel(
            responder: answer, configuration: .init(additionalChannelHandlers: [LastResponseHandler()]))
        let client = Task { [logger] in
            try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
                .channelOption(.allowRemoteHalfClosure, value: true)
                .withConnectedSocket(socket) { channel in http.setup(channel: channel, logger: logger) }
        }
        Task {
            if let client = try? await client.value { await http.handle(value: client, logger: logger) }
            connection.end()
        }
        return {
            Task { try await client.value.channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent()) }
        }
    }

    private func answer(_ request: Request, writer: consuming ResponseWriter, channel: any Channel) async throws {
        let context = Responder.Context(source: .init(channel: channel, logger: logger))
        let response: Response
        do {
            response = try await responder.respond(to: request, context: context)
        } catch {
            logger.error("unable to answer", error: error, metadata: ["path": "\(request.uri.path)"])
            response = Response(status: .internalServerError)
        }
        try await writer.write(response: response.head, body: response.body)
    }
}
