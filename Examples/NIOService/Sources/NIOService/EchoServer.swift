// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryNIO
import BelfryServer
import Glibc
import NIOCore

/// Has NIO send a client back what it sends, until the client leaves or the service asks to finish.
@MainActor func echo(_ connection: ServerConnection) throws -> () -> Void {
    try connection.serve { channel in
        channel.eventLoop.makeCompletedFuture {
            try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
        }
    } handle: { client in
        try await client.executeThenClose { inbound, outbound in
            for try await bytes in inbound { try await outbound.write(bytes) }
        }
    }
    // NIO then finds the end of the stream behind what the client has sent so far.
    return { shutdown(connection.descriptor, CInt(SHUT_RD)) }
}
