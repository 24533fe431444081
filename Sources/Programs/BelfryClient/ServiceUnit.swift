// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// The unit of a service whose socket is in a directory of `/run`, or of the runtime directory of a user.
///
/// It has the name of that directory, as in the units of the documentation. Only the directories of belfryd and its
/// instances begin with `belfry` instead.
package nonisolated struct ServiceUnit: Equatable {
    /// The name without the suffix, such as `belfryd@video` for `/run/belfry@video/io.belfry.Lifecycle`.
    package let name: String

    /// Nil for a socket with another name or in another place.
    package init?(socket path: String) {
        guard path.utf8.starts(with: "/run/".utf8) else { return nil }
        let parts = path.utf8.dropFirst(5).split(
            separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard parts.count == 2 || parts.count == 4 && parts[0].elementsEqual("user".utf8),
            case let directory = parts[parts.count - 2], !directory.isEmpty,
            parts[parts.count - 1].elementsEqual(ServiceClient.interface.utf8)
        else { return nil }
        let belfry = "belfry".utf8
        let isBelfry = directory.elementsEqual(belfry) || directory.starts(with: "belfry@".utf8)
        name = isBelfry ? "belfryd\(Substring(directory.dropFirst(belfry.count)))" : String(Substring(directory))
    }
}
