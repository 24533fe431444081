// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import BelfryEventLoop
internal import Glibc
internal import BelfryLinux
package import Varlink

/// The socket of a service, as a client comes to it.
package enum ServiceSocket {
    /// Connects to the service at `path`.
    ///
    /// - Parameter longestReply: how long a reply may be, in bytes.
    /// - Throws: what to tell the user when nobody is there, when it is out of bounds, and when the directory is a
    ///   stranger's who made it where everybody may make one, as in `/tmp`: he would answer in place of the service.
    package static func connect(
        _ path: String, on loop: MainEventLoop, longestReply: Int = VarlinkClient.longestReply
    ) throws(ControlFailure) -> VarlinkClient {
        if let owner = stranger(behind: path) {
            throw ControlFailure(
                .permission,
                "unable to connect to '\(SystemError.escape(path))': its directory belongs to uid \(owner), "
                    + "who could answer in place of the service")
        }
        do throws(VarlinkError) {
            return try VarlinkClient(path, on: loop, longestReply: longestReply)
        } catch {
            throw ControlFailure(connecting: error, to: path)
        }
    }

    /// The owner of the socket's directory, if it is neither root nor this user, and everybody may make entries of the
    /// directory above.
    private static func stranger(behind path: String) -> uid_t? {
        let slash = UInt8(ascii: "/")
        guard path.utf8.first == slash, let end = path.utf8.lastIndex(of: slash), end > path.startIndex else {
            return nil
        }
        let directory = String(path[..<end])
        let above = directory.utf8.lastIndex(of: slash).map { String(directory[...$0]) } ?? "/"
        var (own, parent) = (stat(), stat())
        // A link is its maker's, whatever it leads to. What cannot be looked at cannot be connected to either.
        guard lstat(directory, &own) == 0, stat(above, &parent) == 0, parent.st_mode & S_IWOTH != 0,
            own.st_uid != 0, own.st_uid != geteuid()
        else { return nil }
        return own.st_uid
    }
}
