// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import Glibc

/// The unit of a service whose socket is in a directory of `/run`.
///
/// It has the name of that directory, as in the units of the documentation. Only the directories of belfryd and its
/// instances begin with `belfry` instead.
package nonisolated struct ServiceUnit: Equatable {
    /// The file name of a socket.
    static let socketName = "io.belfry.Lifecycle"

    /// The name without the suffix, such as `belfryd@video` for `/run/belfry@video/io.belfry.Lifecycle`.
    package let name: String
    private let root: String

    /// Nil for a socket with another name or in another place.
    ///
    /// - Parameter root: a prefix of all paths.
    package init?(socket path: String, root: String = "") {
        guard path.utf8.starts(with: "\(root)/run/".utf8) else { return nil }
        let parts = path.utf8.dropFirst(root.utf8.count + 5).split(
            separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty, parts[1].elementsEqual(Self.socketName.utf8) else { return nil }
        let belfry = "belfry".utf8
        let isBelfry = parts[0].elementsEqual(belfry) || parts[0].starts(with: "belfry@".utf8)
        name = isBelfry ? "belfryd\(Substring(parts[0].dropFirst(belfry.count)))" : String(Substring(parts[0]))
        self.root = root
    }

    /// False if systemd listens on the socket in place of the service, which then has a socket unit and is not active. A
    /// client that connects would start the service, which a query must not do.
    package var mayRun: Bool {
        // A symbolic link for each active service, which systemd makes for journald.
        if exists("/run/systemd/units/invocation:\(name).service") { return true }
        let template = name.utf8.firstIndex(of: UInt8(ascii: "@")).map { "\(name[...$0])" }
        return ![name, template].contains { name in
            guard let name else { return false }
            return Self.directories.contains { exists("\($0)/systemd/system/\(name).socket") }
        }
    }

    private static let directories = ["/etc", "/run", "/usr/local/lib", "/usr/lib", "/lib"]

    private func exists(_ path: String) -> Bool {
        var status = stat()
        return lstat(root + path, &status) == 0
    }
}
