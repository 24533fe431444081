// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

#if NIO
public import Belfry
public import BelfryServer
public import NIOCore
public import NIOPosix

extension ServerConnection {
    /// Hands the connection to NIO, which gets a copy of its descriptor, and ends it with its channel.
    ///
    ///     ConnectionServer(service, at: .port(7007)) { connection in
    ///         try connection.serve { channel in
    ///             channel.eventLoop.makeCompletedFuture {
    ///                 try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
    ///             }
    ///         } handle: { client in
    ///             try await client.executeThenClose { inbound, outbound in … }
    ///         }
    ///     }
    ///
    /// A channel stays open while its client only ends its input (`allowRemoteHalfClosure`).
    ///
    /// - Parameters:
    ///   - group: the threads of the channel.
    ///   - setUp: adds the handlers of the channel, on its event loop.
    ///   - handle: serves the client. The channel is closed when it returns or throws. What it throws, or a future of
    ///     `setUp` that fails, is told to nobody: it is often a client that went away. Log there what is more.
    /// - Returns: asks the channel to finish, for the `ConnectionServer`: its handlers get a
    ///   `ChannelShouldQuiesceEvent`, every second, because those that are added later, after a TLS handshake, must get
    ///   it too. A channel whose handlers do not know it needs another end, such as shutdown(2) with `SHUT_RD`.
    /// - Throws: `EMFILE` without room for another descriptor, `EBADF` after `end()`.
    @discardableResult
    public func serve<Value: Sendable>(
        on group: any EventLoopGroup = .singletonMultiThreadedEventLoopGroup,
        _ setUp: @escaping @Sendable (any Channel) -> EventLoopFuture<Value>,
        handle: @escaping @Sendable (Value) async throws -> Void
    ) throws(SystemError) -> () -> Void {
        let socket = try duplicate()  // NIO closes its own descriptor
        let loop = group.next()
        let channel = loop.makePromise(of: (any Channel).self)
        Task {
            do {
                let (value, active) = try await ClientBootstrap(group: loop)
                    .channelOption(.allowRemoteHalfClosure, value: true)
                    .withConnectedSocket(socket) { created in setUp(created).map { ($0, created) } }
                // Not before: what is not active yet would not be asked to finish.
                channel.succeed(active)
                try? await handle(value)
                try? await active.close()
            } catch {
                channel.fail(error)
            }
            end()
        }
        return { channel.futureResult.whenSuccess(finish) }
    }
}

/// On the event loop, so that what the channel writes from now on comes after it.
private nonisolated func finish(_ channel: any Channel) {
    guard channel.isActive else { return }
    channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
    channel.eventLoop.scheduleTask(in: .seconds(1)) { finish(channel) }
}
#endif
