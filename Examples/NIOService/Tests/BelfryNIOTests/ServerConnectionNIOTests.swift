// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Belfry
import BelfryNIO
import BelfryServer
import BelfryTesting
import Glibc
import LifecycleTesting
import NIOCore
import Synchronization
import Testing

/// Channels of NIO on connections of a `ConnectionServer`.
@MainActor struct ServerConnectionNIOTests {
    private struct Failure: Error {}

    private func service(
        _ socket: TestSocket, _ handler: @escaping ConnectionServer.Handler
    ) async throws -> (test: TestService, server: ConnectionServer) {
        var server: ConnectionServer?
        let test = try TestService(descriptors: [("echo", socket.copy())]) { service in
            let added = ConnectionServer(service, at: .systemd("echo"), handler)
            try service.mediator.addListener(added)
            server = added
        }
        await test.script.run(.perform(.launch))
        return (test, try #require(server))
    }

    private nonisolated static func lines(_ channel: any Channel) -> EventLoopFuture<
        NIOAsyncChannel<ByteBuffer, ByteBuffer>
    > {
        channel.eventLoop.makeCompletedFuture {
            try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
        }
    }

    private nonisolated static func echo(_ client: NIOAsyncChannel<ByteBuffer, ByteBuffer>) async throws {
        try await client.executeThenClose { inbound, outbound in
            for try await bytes in inbound { try await outbound.write(bytes) }
        }
    }

    @Test func connectionEndsWithItsChannel() async throws {
        let socket = try TestSocket()
        let (test, server) = try await service(socket) { try $0.serve(Self.lines, handle: Self.echo) }
        let client = try socket.connect()

        try client.send("hello\n")
        try await test.until { client.text == "hello\n" }
        #expect(server.connectionCount == 1)
        client.disconnect()

        try await test.until { server.connectionCount == 0 }
    }

    @Test func channelIsClosedWhenItsHandlerThrows() async throws {
        let socket = try TestSocket()
        let (test, server) = try await service(socket) { connection in
            try connection.serve(Self.lines) { _ in throw Failure() }
        }
        let client = try socket.connect()

        try await test.until { client.isEnded }

        try await test.until { server.connectionCount == 0 }
    }

    @Test func connectionEndsWhenItsChannelCannotBeSetUp() async throws {
        let socket = try TestSocket()
        let (test, server) = try await service(socket) { connection in
            try connection.serve { channel -> EventLoopFuture<Void> in
                channel.eventLoop.makeFailedFuture(Failure())
            } handle: { _ in
            }
        }
        let client = try socket.connect()

        try await test.until { client.isEnded }

        try await test.until { server.connectionCount == 0 }
    }

    @Test func whatWasSentBeforeAPauseIsEchoed() async throws {
        let socket = try TestSocket()
        let (test, server) = try await service(socket) { connection in
            try connection.serve(Self.lines, handle: Self.echo)
            return { shutdown(connection.descriptor, CInt(SHUT_RD)) }
        }
        let client = try socket.connect()
        try client.send("hello\n")
        try await test.until { server.connectionCount == 1 }

        test.service.mediator.perform(.pause) { _ in }
        #expect(test.service.mediator.state == .inactive)
        try await test.until { client.isEnded }

        #expect(client.text == "hello\n")
        try await test.until { test.service.mediator.state == .background }
    }

    /// Closes its channel when it is asked to finish.
    private final class Closing: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
            if event is ChannelShouldQuiesceEvent { context.close(promise: nil) }
        }
    }

    @Test func handlerThatIsAddedLaterIsAskedToFinishToo() async throws {
        let socket = try TestSocket()
        let channels = Mutex<(any Channel)?>(nil)
        let (test, server) = try await service(socket) { connection in
            try connection.serve { channel in
                channels.withLock { $0 = channel }
                return channel.eventLoop.makeSucceededFuture(channel)
            } handle: { channel in
                try await channel.closeFuture.get()
            }
        }
        let client = try socket.connect()
        try await test.until { channels.withLock { $0 != nil } }

        test.service.mediator.perform(.pause) { _ in }
        let kept = channels.withLock { $0 }
        let channel = try #require(kept)
        try await channel.eventLoop.scheduleTask(in: .milliseconds(100)) {}.futureResult.get()
        #expect(server.connectionCount == 1)
        try await channel.eventLoop.submit { try channel.pipeline.syncOperations.addHandler(Closing()) }.get()

        try await test.until { client.isEnded && test.service.mediator.state == .background }
    }

    /// As when a pause begins in the turn in which the connection was accepted.
    @Test func channelThatIsAskedToFinishBeforeItIsSetUpFinishes() async throws {
        let socket = try TestSocket()
        let (test, server) = try await service(socket) { connection in
            let finish = try connection.serve { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Closing())
                    return channel
                }
            } handle: { channel in
                try await channel.closeFuture.get()
            }
            finish()
            return finish
        }
        let client = try socket.connect()

        try await test.until { client.isEnded }

        try await test.until { server.connectionCount == 0 }
    }

    @Test func channelThatDoesNotFinishIsShutDown() async throws {
        let socket = try TestSocket()
        let (test, server) = try await service(socket) { try $0.serve(Self.lines, handle: Self.echo) }
        let client = try socket.connect()
        try await test.until { server.connectionCount == 1 }

        test.service.mediator.perform(.pause) { _ in }
        await test.script.run(.advance(.seconds(120)))

        try await test.until { client.isEnded && server.connectionCount == 0 }
    }
}
