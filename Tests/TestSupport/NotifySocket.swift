// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import Foundation

/// A service manager's ear: the socket that `$NOTIFY_SOCKET` names, read datagram by datagram.
@MainActor
public final class NotifySocket {
    /// Where it is.
    public let path: String
    private let descriptor: Int32
    private var received: [Int32] = []

    /// Listens at `path`.
    public init(at path: String) throws {
        self.path = path
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        if path.hasPrefix("@") { address.sun_path.0 = 0 }
        let length = MemoryLayout<sockaddr_un>.offset(of: \.sun_path)! + path.utf8.count
        let size = path.hasPrefix("@") ? socklen_t(length) : socklen_t(MemoryLayout<sockaddr_un>.size)
        let bound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, size) }
        }
        var timeout = timeval(tv_sec: 30, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
        guard bound == 0 else { throw POSIXError(.EADDRINUSE) }
    }

    isolated deinit { close(descriptor) }

    /// Whether a datagram is there to be read.
    public var hasDatagram: Bool {
        var ready = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&ready, 1, 0) > 0
    }

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

    /// The datagrams up to the first that begins with `assignment`, that one included; all that come if none does.
    public func messages(until assignment: String) -> [[String]] {
        var messages: [[String]] = []
        repeat { messages.append(next()) } while messages.last?.isEmpty == false && messages.last?.first != assignment
        return messages
    }

    /// The next datagram that is not about what is stored.
    public func nextOfLife() -> [String] {
        while true {
            let message = next()
            if message.first?.hasPrefix("FDSTORE") != true { return message }
        }
    }

    /// The next datagram, its assignments in their order; empty when none comes within half a minute.
    public func next() -> [String] {
        _ = takeDescriptors()
        var buffer = [UInt8](repeating: 0, count: 4096)
        // A struct cmsghdr, and descriptors behind it (cmsg(3)).
        var control = [UInt64](repeating: 0, count: 512)
        let count = buffer.withUnsafeMutableBytes { bytes in
            var part = iovec(iov_base: bytes.baseAddress, iov_len: bytes.count)
            return control.withUnsafeMutableBytes { control in
                withUnsafeMutablePointer(to: &part) { part in
                    var header = msghdr()
                    header.msg_iov = part
                    header.msg_iovlen = 1
                    header.msg_control = control.baseAddress
                    header.msg_controllen = control.count
                    let count = recvmsg(descriptor, &header, 0)
                    if header.msg_controllen == 0 { control.baseAddress?.storeBytes(of: 0, as: Int.self) }
                    return count
                }
            }
        }
        let length = Int(control[0])
        control.withUnsafeBytes { bytes in
            for offset in stride(from: 16, to: max(length, 16), by: 4) {
                received.append(bytes.load(fromByteOffset: offset, as: Int32.self))
            }
        }
        return String(decoding: buffer.prefix(max(count, 0)), as: UTF8.self).split(separator: "\n").map(String.init)
    }

    /// Closes the descriptors that came with the last datagram, as the manager does in the end.
    ///
    /// - Returns: how many there were.
    public func takeDescriptors() -> Int {
        defer { received = [] }
        for descriptor in received { close(descriptor) }
        return received.count
    }
}
