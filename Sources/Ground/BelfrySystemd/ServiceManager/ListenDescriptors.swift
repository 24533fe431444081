// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import BelfryLinux
internal import CBelfry
internal import Glibc

/// The descriptors that the service manager handed over at the start (sd_listen_fds_with_names(3)).
package nonisolated struct ListenDescriptors: Sendable {
    /// The descriptors with their names, in order. Names may repeat.
    package let descriptors: [(name: String, descriptor: Int32)]

    /// Descriptors that came in another way.
    package init(_ descriptors: [(name: String, descriptor: Int32)]) { self.descriptors = descriptors }

    /// Receives the descriptors, and sets close-on-exec.
    ///
    /// - Throws: `EINVAL` for environment variables that make no sense, `EBADF` when what they name is not open.
    package static func received() throws(SystemError) -> Self {
        var names: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
        let count = try SystemError.check(sd_listen_fds_with_names(0, &names), verb: "take over", object: "descriptors")
        defer {
            for index in 0..<Int(count) { free(names?[index]) }
            free(names)
        }
        return Self(
            (0..<count).map { index in
                (names?[Int(index)].map { String(cString: $0) } ?? "unknown", SD_LISTEN_FDS_START + index)
            })
    }

    /// Whether a descriptor came from the descriptor store and not from a socket unit.
    ///
    /// The service manager does not distinguish them (sd_listen_fds(3)). Socket units pass listening sockets,
    /// datagram sockets and FIFOs; `stored` is the name of what was stored without one (sd_notify(3), `FDNAME=`).
    package static func isStored(_ descriptor: Int32, named name: String) -> Bool {
        name == "stored"
            || sd_is_socket(descriptor, AF_UNSPEC, 0, 1) <= 0
                && sd_is_socket(descriptor, AF_UNSPEC, Int32(SOCK_DGRAM.rawValue), -1) <= 0
                && sd_is_fifo(descriptor, nil) <= 0
    }
}
