// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

public import Belfry
internal import BelfryLinux
internal import Glibc

/// A connection that a `ConnectionServer` has accepted. It is open until `end()`.
@MainActor  // see MainEventLoop
public final class ServerConnection {
    private let socket: OwnedDescriptor
    private let loop: MainEventLoop
    private let onEnd: (ServerConnection) -> Void
    private var source: DescriptorEventSource?

    init(_ number: Int32, on loop: MainEventLoop, onEnd: @escaping (ServerConnection) -> Void) {
        socket = OwnedDescriptor(owning: number)
        self.loop = loop
        self.onEnd = onEnd
    }

    /// The connected socket, which does not block and is closed on exec; -1 after `end()`. It belongs to the
    /// connection.
    public var descriptor: Int32 { socket.number }

    /// Calls a handler whenever the client has sent something, or has left (recv(2) then returns 0), and for other
    /// events if they are asked for. It ends with the connection; a further call replaces it.
    ///
    /// - Returns: the source, to change its events.
    /// - Throws: when the loop has no memory left for it, and `EBADF` after `end()`.
    @discardableResult
    public func watch(
        _ events: DescriptorEvents = .readable, _ handler: @escaping (DescriptorEvents) -> Void
    ) throws(SystemError) -> DescriptorEventSource {
        source.take()?.cancel()
        let watching = try loop.source(descriptor: descriptor, events, handler)
        source = watching
        return watching
    }

    /// Closes the connection. Every connection must be ended, also one that the client has left. Further calls have no
    /// effect.
    public func end() {
        guard socket.number >= 0 else { return }
        let number = socket.release()
        // Others may keep the source, and a copy the description that epoll(7) watches. Its handler often refers to the
        // connection; what else it held may end the connection again.
        source.take()?.cancel()
        close(number)
        onEnd(self)
    }

    /// A copy of the descriptor, for code that closes it itself, such as NIO, or to store it with `ServiceDescriptors`.
    /// The client notices the end when the copy is closed and `end()` was called.
    ///
    /// - Throws: `EMFILE` without room for another descriptor, `EBADF` after `end()` (fcntl(2)).
    public func duplicate() throws(SystemError) -> Int32 {
        try OwnedDescriptor(copying: socket.number).release()
    }

    /// Ends it for the client, and for code that waits for the client: both find the end of the stream.
    func shutDown() { shutdown(socket.number, Int32(SHUT_RDWR)) }
}
