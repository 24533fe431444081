// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import NIOCore
import NIOPosix
import ServiceLifecycle

/// A TCP server that sends back what it is sent. Nothing in it knows of signals, systemd or Belfry.
struct EchoServer: Service {
    let host: String
    let port: Int
    /// A listening socket from systemd, in place of host and port.
    let socket: CInt?
    let onListening: @Sendable () -> Void

    typealias Connection = NIOAsyncChannel<ByteBuffer, ByteBuffer>

    /// Serves until the graceful shutdown: no connection is accepted from then on, and those that are open may end.
    func run() async throws {
        let bootstrap = ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
        let wrap: @Sendable (any Channel) -> EventLoopFuture<Connection> = { channel in
            channel.eventLoop.makeCompletedFuture { try Connection(wrappingChannelSynchronously: channel) }
        }
        let server =
            if let socket {
                try await bootstrap.bind(socket, childChannelInitializer: wrap)
            } else {
                try await bootstrap.bind(host: host, port: port, childChannelInitializer: wrap)
            }
        onListening()
        try await server.executeThenClose { connections in
            try await withThrowingDiscardingTaskGroup { tasks in
                for try await connection in connections.cancelOnGracefulShutdown() {
                    tasks.addTask { await echo(connection) }
                }
            }
        }
    }

    private func echo(_ connection: Connection) async {
        try? await connection.executeThenClose { inbound, outbound in
            for try await bytes in inbound.cancelOnGracefulShutdown() { try await outbound.write(bytes) }
        }
    }
}
