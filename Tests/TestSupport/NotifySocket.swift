// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import Foundation

/// A service manager's ear: the socket that `$NOTIFY_SOCKET` names, read datagram by datagram.
@MainActor
public final class NotifySocket {
    /// Where it is.
    public let path: String
    private let descriptor: Int32

    /// Listens at `path`.
    public init(at path: String) throws {
        self.path = path
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let size = socklen_t(MemoryLayout<sockaddr_un>.size)
        let bound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, size) }
        }
        var patience = timeval(tv_sec: 30, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        guard bound == 0 else { throw POSIXError(.EADDRINUSE) }
    }

    isolated deinit { close(descriptor) }

    /// Takes datagrams until one begins with `assignment`.
    ///
    /// - Returns: whether it came.
    public func wait(for assignment: String) -> Bool {
        while true {
            let message = next()
            if message.first == assignment { return true }
            if message.isEmpty { return false }
        }
    }

    /// The next datagram, its assignments in their order; empty when none comes within half a minute.
    public func next() -> [String] {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        return String(decoding: buffer.prefix(max(count, 0)), as: UTF8.self).split(separator: "\n").map(String.init)
    }
}
