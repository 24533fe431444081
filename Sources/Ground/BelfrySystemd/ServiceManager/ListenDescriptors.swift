// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import BelfryLinux
internal import CBelfry
internal import Glibc

/// The descriptors that the service manager handed over at the start (sd_listen_fds_with_names(3)).
package nonisolated struct ListenDescriptors: Sendable {
    /// The descriptors with their names, in order. Names may repeat.
    package let descriptors: [(name: String, descriptor: Int32)]

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
            descriptors: (0..<count).map { index in
                (names?[Int(index)].map { String(cString: $0) } ?? "unknown", SD_LISTEN_FDS_START + index)
            })
    }
}
