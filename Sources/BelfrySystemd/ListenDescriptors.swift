// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import CBelfry
internal import Glibc
public import BelfryLinux

/// The descriptors that the service manager handed over at the start (sd_listen_fds_with_names(3)).
public nonisolated struct ListenDescriptors: Sendable, Equatable {
    /// The descriptors with their names, in order. Names may repeat.
    public let descriptors: [(name: String, descriptor: Int32)]

    /// Descriptors that came in another way.
    public init(_ descriptors: [(name: String, descriptor: Int32)]) { self.descriptors = descriptors }

    /// Takes the descriptors. They are closed on exec from now on.
    ///
    /// - Throws: `EINVAL` for environment variables that make no sense, `EBADF` when what they name is not open.
    public static func received() throws(SystemError) -> Self {
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

    /// Whether a descriptor came out of the descriptor store and not from a socket unit.
    ///
    /// The service manager does not tell them apart (sd_listen_fds(3)). Socket units hand over sockets that listen or take
    /// datagrams, and FIFOs; `stored` is the name of what was stored without one (sd_notify(3), `FDNAME=`).
    public static func isStored(_ descriptor: Int32, named name: String) -> Bool {
        name == "stored"
            || sd_is_socket(descriptor, AF_UNSPEC, 0, 1) <= 0
                && sd_is_socket(descriptor, AF_UNSPEC, Int32(SOCK_DGRAM.rawValue), -1) <= 0
                && sd_is_fifo(descriptor, nil) <= 0
    }

    /// The descriptors of one name.
    public func named(_ name: String) -> [Int32] { descriptors.filter { $0.name == name }.map(\.descriptor) }

    /// Whether both are the same descriptors with the same names.
    public static func == (left: Self, right: Self) -> Bool {
        left.descriptors.elementsEqual(right.descriptors) { $0 == $1 }
    }
}
