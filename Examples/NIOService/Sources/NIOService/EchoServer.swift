// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryServer
import Glibc
import NIOCore
import NIOPosix

/// Has NIO send a client back what it sends, until the client leaves or the service asks to finish.
@MainActor func echo(_ connection: ServerConnection) throws -> () -> Void {
    // NIO closes its own descriptor.
    let socket = try connection.duplicate()
    Task {
        try? await echo(socket)
        connection.end()
    }
    // NIO then finds the end of the stream behind what the client has sent so far.
    return { shutdown(connection.descriptor, CInt(SHUT_RD)) }
}

/// Echoes on a connected socket.
private func echo(_ socket: CInt) async throws {
    let client = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
        .channelOption(.allowRemoteHalfClosure, value: true)
        .withConnectedSocket(socket) { channel in
            channel.eventLoop.makeCompletedFuture {
                try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
            }
        }
    try await client.executeThenClose { inbound, outbound in
        for try await bytes in inbound { try await outbound.write(bytes) }
    }
}
