// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import CBelfry
internal import Glibc

/// The way to a Unix datagram socket of the system's: the service manager's or the journal's. Nothing here waits.
@MainActor  // in words: an optimised client module of Swift 6.3 misses the default, and then rejects the deinit
final class DatagramSocket {
    /// Where the other socket is: a path, or `@` and an abstract name (unix(7)).
    let address: String
    /// Ours, or the `-errno` that came instead of it.
    private let descriptor: Int32

    init(to address: String) {
        self.address = address
        descriptor = belfry_datagram_socket()
    }

    isolated deinit { if descriptor >= 0 { close(descriptor) } }

    /// Sends one datagram with copies of descriptors. Each looks the address up again, so that a socket that was made
    /// anew is found.
    ///
    /// - Returns: 0 or an error number: `EAGAIN` while the other side does not read, `EMSGSIZE` for too long a datagram.
    func send(_ bytes: UnsafeRawBufferPointer, descriptors: [Int32] = []) -> Int32 {
        guard descriptor >= 0 else { return -descriptor }
        let result = belfry_send_datagram(
            descriptor, address, bytes.baseAddress, bytes.count, descriptors, descriptors.count)
        // ENOBUFS is what a socket says for which the kernel has no memory at the moment.
        return result == -ENOBUFS ? EAGAIN : -result
    }
}
