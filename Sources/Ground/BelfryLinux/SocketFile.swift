// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import CBelfry
internal import Glibc

/// A listening Unix socket that this process bound to a path, and its file.
package struct SocketFile {
    /// The listening socket. The caller closes it.
    package let descriptor: Int32
    private let path: String
    private let identity: (device: dev_t, inode: ino_t)?

    /// Binds and listens. A file on whose socket no process listens any more is replaced; any other file is not.
    ///
    /// - Parameters:
    ///   - path: the path, or `@` and the name of an abstract socket, which has no file.
    ///   - mode: the mode of the file; if nil, the umask decides.
    /// - Throws: for example «unable to listen on '…': Address already in use (EADDRINUSE)».
    package init(_ path: String, mode: UInt32? = nil) throws(SystemError) {
        self.path = path
        if path.hasPrefix("@") {
            descriptor = try Self.listen(path, mode: nil)
            identity = nil
            return
        }
        // Of two services that find the same abandoned file, neither may remove the other's new one. The lock file is
        // never removed, since another service may hold it.
        let lock: OwnedDescriptor
        do throws(SystemError) {
            lock = try OwnedDescriptor(locking: path + ".lock")
        } catch {
            throw error.code == ENOENT ? SystemError(ENOENT, verb: "listen on", object: path) : error
        }
        defer { withExtendedLifetime(lock) {} }
        descriptor = try Self.listenReplacing(path, mode: mode)
        identity = Self.identity(of: path)
    }

    /// Removes the file, unless it was replaced.
    package func remove() {
        guard let identity, let present = Self.identity(of: path), identity == present else { return }
        unlink(path)
    }

    /// The file has its mode from the first moment, as a socket of systemd has: a client that comes between bind(2) and
    /// chmod(2) would be refused for good.
    private static func listen(_ path: String, mode: UInt32?) throws(SystemError) -> Int32 {
        let inherited = mode.map { umask(~$0 & 0o777) }
        defer { if let inherited { _ = umask(inherited) } }
        return try SystemError.check(belfry_unix_listen(path, SOMAXCONN), verb: "listen on", object: path)
    }

    private static func listenReplacing(_ path: String, mode: UInt32?) throws(SystemError) -> Int32 {
        do throws(SystemError) {
            return try listen(path, mode: mode)
        } catch {
            guard error.code == EADDRINUSE, try isAbandoned(path) else { throw error }
            if unlink(path) < 0 { throw SystemError.last(verb: "remove stale socket", object: path) }
            return try listen(path, mode: mode)
        }
    }

    /// Whether there is a socket on which no process listens (connect(2), ECONNREFUSED).
    ///
    /// - Throws: when the system failed to say, for example for lack of descriptors.
    private static func isAbandoned(_ path: String) throws(SystemError) -> Bool {
        var status = stat()
        guard lstat(path, &status) == 0, belfry_is_socket(status.st_mode) else { return false }
        let connected = belfry_unix_connect(path)
        guard connected < 0 else {
            close(connected)
            return false
        }
        let error = SystemError(connected, verb: "connect to", object: path)
        if error.isSystemFailure { throw error }
        return error.code == ECONNREFUSED
    }

    private static func identity(of path: String) -> (device: dev_t, inode: ino_t)? {
        var status = stat()
        guard lstat(path, &status) == 0 else { return nil }
        return (status.st_dev, status.st_ino)
    }
}
