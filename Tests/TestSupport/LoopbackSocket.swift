// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import Foundation

/// TCP on the loopback address.
public enum LoopbackSocket {
    /// A socket that listens on a free port.
    ///
    /// - Parameters:
    ///   - backlog: how many connections wait to be accepted.
    ///   - receiveBuffer: SO_RCVBUF of its connections.
    public static func listen(backlog: Int32 = 8, receiveBuffer: Int32? = nil) throws -> (
        descriptor: Int32, port: UInt16
    ) {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0)
        if var receiveBuffer {
            setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &receiveBuffer, socklen_t(MemoryLayout<Int32>.size))
        }
        var address = address(0)
        let bound = withAddress(&address) { bind(descriptor, $0, $1) }
        guard bound == 0, Foundation.listen(descriptor, backlog) == 0 else { throw POSIXError(.EADDRINUSE) }
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        _ = withAddress(&address) { name, _ in getsockname(descriptor, name, &size) }
        return (descriptor, UInt16(bigEndian: address.sin_port))
    }

    /// A port that nobody uses at the moment.
    public static func freePort() throws -> UInt16 {
        let (descriptor, port) = try listen()
        close(descriptor)
        return port
    }

    /// A socket that is being connected; it does not wait.
    public static func connect(_ port: UInt16) -> Int32 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0)
        var address = address(port)
        _ = withAddress(&address) { Foundation.connect(descriptor, $0, $1) }
        return descriptor
    }

    /// Whether a connection to a port is made within a moment.
    public static func isListening(_ port: UInt16) -> Bool {
        let descriptor = connect(port)
        defer { close(descriptor) }
        var ready = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        return poll(&ready, 1, 100) == 1 && ready.revents & Int16(POLLERR | POLLHUP) == 0
    }

    private static func address(_ port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }

    private static func withAddress(
        _ address: inout sockaddr_in, _ body: (UnsafeMutablePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
        }
    }
}
