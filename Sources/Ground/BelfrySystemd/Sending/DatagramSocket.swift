// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import CBelfry
internal import Glibc

/// Sends datagrams to a Unix socket: the service manager's or journald's. It never blocks.
@MainActor  // see MainEventLoop
final class DatagramSocket {
    /// Where the other socket is: a path, or `@` and an abstract name (unix(7)).
    let address: String
    /// Our socket, or the `-errno` of making it, which each send then tries again.
    private var descriptor: Int32

    init(to address: String) {
        self.address = address
        descriptor = belfry_datagram_socket()
    }

    isolated deinit { if descriptor >= 0 { close(descriptor) } }

    /// Sends one datagram with copies of descriptors. The address is looked up each time, so that a new socket is
    /// found.
    ///
    /// - Returns: 0 or an error number: `EAGAIN` while the other side does not read or the system lacks memory or
    ///   descriptors, `EMSGSIZE` for too long a datagram.
    func send(_ bytes: UnsafeRawBufferPointer, descriptors: [Int32] = []) -> Int32 {
        if descriptor < 0 { descriptor = belfry_datagram_socket() }
        let result =
            descriptor < 0
            ? descriptor
            : belfry_send_datagram(
                descriptor, address, bytes.baseAddress, bytes.count, descriptors, descriptors.count)
        return [-ENOBUFS, -ENOMEM, -EMFILE, -ENFILE].contains(result) ? EAGAIN : -result
    }

    /// Whether the other side has not received all yet.
    var isUnread: Bool { belfry_is_unread(descriptor) }
}
