// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import CBelfry
public import BelfryLinux
internal import Glibc

/// A listening Unix socket, for a listener that gets its sockets from systemd.
///
///     let socket = try TestSocket()
///     let test = try TestService(descriptors: [("echo", try socket.copy())]) { … }
///     let client = try socket.connect()
@MainActor public final class TestSocket {
    /// Its address: `@` and an abstract name (unix(7)).
    public let address = "@belfry-test-" + String(UInt64.random(in: 0...UInt64.max), radix: 16)
    private let socket: OwnedDescriptor

    /// Makes the socket. As that of a socket unit, it accepts connections in the kernel before a service takes them.
    ///
    /// - Throws: when the system has no descriptor left.
    public init() throws(SystemError) {
        socket = OwnedDescriptor(
            owning: try SystemError.check(belfry_unix_listen(address, 64), verb: "listen on", object: address))
    }

    /// A copy for the service.
    ///
    /// - Throws: `EMFILE` without room for another descriptor.
    public func copy() throws(SystemError) -> OwnedDescriptor { try OwnedDescriptor(copying: socket.number) }

    /// Connects a client. The service need not have accepted it yet.
    ///
    /// - Throws: `EAGAIN` if too many connections wait.
    public func connect() throws(SystemError) -> TestClient {
        let connected = try SystemError.check(belfry_unix_connect(address), verb: "connect to", object: address)
        return TestClient(OwnedDescriptor(owning: connected))
    }
}

/// A client of a `TestSocket`. It never waits: use it in the condition of `until`.
@MainActor public final class TestClient {
    /// What was received so far. Reading it receives what has come.
    public var text: String {
        receive()
        return String(decoding: bytes, as: UTF8.self)
    }
    /// Whether the connection has ended, by the service, by `disconnect()` or by an error, and all that came was
    /// received.
    public var isEnded: Bool {
        receive()
        return hasEnded
    }
    package let socket: OwnedDescriptor
    private var bytes: [UInt8] = []
    private var hasEnded = false

    /// A client with this connected socket, which does not block.
    package init(_ socket: OwnedDescriptor) { self.socket = socket }

    /// Sends a text.
    ///
    /// - Throws: `EPIPE` when the service has closed the connection, `EAGAIN` when it does not read. A part of the text
    ///   may have been sent.
    public func send(_ text: String) throws(SystemError) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Glibc.send(socket.number, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count >= 0 else { throw .last(verb: "send to", object: "service") }
            rest = rest.dropFirst(count)
        }
    }

    /// Ends the connection, as a client does that goes away.
    public func disconnect() { shutdown(socket.number, Int32(SHUT_RDWR)) }

    private func receive() {
        var buffer = [UInt8](repeating: 0, count: 4096)
        while !hasEnded {
            let count = recv(socket.number, &buffer, buffer.count, 0)
            if count > 0 {
                bytes += buffer.prefix(count)
            } else if count == 0 || errno != EAGAIN {
                hasEnded = true
            } else {
                return
            }
        }
    }
}
