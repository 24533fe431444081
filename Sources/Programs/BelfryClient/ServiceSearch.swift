// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import Glibc

/// Finds the sockets of services.
package nonisolated enum ServiceSearch {
    private static let maximumSockets = 1024

    /// The sockets `/run/*/io.belfry.Lifecycle`, and those in `$XDG_RUNTIME_DIR` if it belongs to this user; at most
    /// 1,024.
    ///
    /// Only root can make a directory in `/run`, and only the user one in the user's runtime directory.
    ///
    /// - Parameter root: a prefix of `/run`.
    package static func sockets(environment: [String: String], uid: UInt32, root: String = "") -> [String] {
        var found = sockets(in: "\(root)/run")
        var status = stat()
        if let own = environment["XDG_RUNTIME_DIR"], own.utf8.first == UInt8(ascii: "/"), stat(own, &status) == 0,
            status.st_uid == uid
        {
            found += sockets(in: own)
        }
        return Array(found.prefix(maximumSockets))
    }

    private static func sockets(in directory: String) -> [String] {
        paths(matching: "\(directory)/*/\(ServiceClient.interface)").filter { path in
            var status = stat()
            return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFSOCK
        }
    }

    /// The paths that match a pattern (glob(7)), in order.
    package static func paths(matching pattern: String) -> [String] {
        var found = glob_t()
        defer { globfree(&found) }
        guard glob(pattern, 0, nil, &found) == 0 else { return [] }
        return (0..<Int(found.gl_pathc)).compactMap { found.gl_pathv[$0].map { String(cString: $0) } }
    }
}
