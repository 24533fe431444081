// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import CSystemd
internal import Glibc
public import SystemErrors

/// The descriptors that the service manager handed over at the start (sd_listen_fds_with_names(3)).
public nonisolated struct ListenDescriptors: Sendable, Equatable {
    /// The descriptors with their names, in order. Names may repeat.
    public let descriptors: [(name: String, descriptor: Int32)]

    /// Takes the descriptors. They are closed on exec from now on.
    public static func received() throws(SystemError) -> Self {
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

    /// The descriptors of one name.
    public func named(_ name: String) -> [Int32] { descriptors.filter { $0.name == name }.map(\.descriptor) }

    /// Whether both are the same descriptors with the same names.
    public static func == (left: Self, right: Self) -> Bool {
        left.descriptors.elementsEqual(right.descriptors) { $0 == $1 }
    }
}
