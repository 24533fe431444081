// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryJSON
package import BelfryLinux
internal import CBelfry
internal import Glibc

/// A directory for what a service keeps: its socket, its counter.
package nonisolated enum OwnedDirectory {
    /// Makes the directory unless it exists: with mode 0755 below `/run`, and 0700 elsewhere.
    ///
    /// - Parameter withParents: whether its parents are made too. If not, they must exist.
    /// - Throws: what the system says, and `EPERM` for a directory that another user has made in a world-writable
    ///   place such as `/tmp`: its owner would control what is in it.
    package static func make(_ path: String, withParents: Bool = false) throws(SystemError) {
        let mode: mode_t = path.hasPrefix("/run/") ? 0o755 : 0o700
        if mkdir(path, mode) == 0 { return }
        if withParents, errno == ENOENT, let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")), slash > path.startIndex
        {
            try make(String(path[..<slash]), withParents: true)
            if mkdir(path, mode) == 0 { return }
        }
        guard errno == EEXIST else { throw .last(verb: "make", object: path) }
        var status = stat()
        guard lstat(path, &status) == 0 else { throw .last(verb: "look at", object: path) }
        var parent = stat()
        let above = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[..<$0]) + "/" } ?? "."
        guard stat(above, &parent) == 0 else { throw .last(verb: "look at", object: above) }
        guard status.st_uid == 0 || status.st_uid == geteuid() || parent.st_mode & S_IWOTH == 0 else {
            throw SystemError(EPERM, verb: "use", object: path)
        }
    }
}

/// A file or directory of another service. It is neither read nor written.
package nonisolated struct ForeignFile: Error, Sendable, Equatable, CustomStringConvertible {
    /// «unable to use '/var/lib/belfry': it belongs to the service 'videod', set StateDirectory=».
    package let description: String

    /// - Parameters:
    ///   - path: what belongs to the other service.
    ///   - owner: the name of that service.
    ///   - key: the key of a unit, or of `[Service]`, that names another place.
    package init(_ path: String, of owner: String, use key: String) {
        description =
            "unable to use '\(SystemError.escape(path))': "
            + "it belongs to the service '\(SystemError.escape(String(owner.prefix(bytes: 64))))', set \(key)"
    }
}
