// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOPosix
import ServiceLifecycle

/// Serves a Hummingbird router on a listening socket that another process has opened: systemd, which keeps it open over a
/// restart, so that new connections wait instead of being refused. Hummingbird's `Application` cannot do this, because it
/// always opens a port itself.
struct SocketServer<Responder: HTTPResponder>: Service
where Responder.Context: InitializableFromSource<ApplicationRequestContextSource> {
    let responder: Responder
    /// The listening socket. NIO closes it at the end.
    let socket: CInt
    var logger = Logger(label: "hello")
    let onListening: @Sendable () -> Void

    /// Serves until the graceful shutdown, and returns when all requests have been answered.
    func run() async throws {
        let http = HTTP1Channel(
            responder: answer, configuration: .init(additionalChannelHandlers: [LastResponseHandler()]))
        let server = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .bind(socket) { channel in http.setup(channel: channel, logger: logger) }
        onListening()
        try await server.executeThenClose { connections in
            try await withGracefulShutdownHandler {
                try await withThrowingDiscardingTaskGroup { tasks in
                    for try await connection in connections {
                        tasks.addTask { await serve(connection, http) }
                    }
                }
            } onGracefulShutdown: {
                stopAccepting(server.channel)
            }
        }
    }

    /// New connections wait in the socket for the next process. The channel stays open for a moment, because NIO would drop
    /// a connection that is accepted but not set up yet.
    private func stopAccepting(_ channel: any Channel) {
        channel.setOption(.autoRead, value: false).whenComplete { _ in
            channel.eventLoop.scheduleTask(in: .milliseconds(100)) { channel.close(promise: nil) }
        }
    }

    private func serve(_ connection: HTTP1Channel.Value, _ http: HTTP1Channel) async {
        await withGracefulShutdownHandler {
            await http.handle(value: connection, logger: logger)
        } onGracefulShutdown: {
            connection.channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
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
