// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import CBelfry
internal import Glibc

/// A file descriptor that belongs to this object, which closes it when it is released.
@MainActor  // see MainEventLoop
public final class OwnedDescriptor {
    /// The number of the descriptor, for calls that leave it open; -1 after `release()`.
    public private(set) var number: Int32

    /// Takes over an open descriptor: nothing else may close it from now on.
    public init(owning number: Int32) { self.number = number }

    /// Owns a copy, which is closed on exec.
    ///
    /// - Throws: `EBADF` for a descriptor that is not open, `EMFILE` without room for another (fcntl(2)).
    package init(copying other: Int32) throws(SystemError) {
        number = fcntl(other, F_DUPFD_CLOEXEC, 3)
        guard number >= 0 else { throw .last(verb: "copy descriptor", object: "\(other)") }
    }

    /// Opens a file, or makes it, and locks it as long as it is open in any process (flock(2)).
    ///
    /// - Throws: `EWOULDBLOCK` when another process has locked it, whoever owns it. `EPERM` for one that another user
    ///   can open: who holds the lock would keep this process from it, and who writes could end it with SIGBUS if it is
    ///   mapped (mmap(2)).
    package convenience init(locking path: String) throws(SystemError) {
        self.init(owning: open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0o600))
        guard number >= 0 else { throw .last(verb: "open", object: path) }
        guard flock(number, LOCK_EX | LOCK_NB) == 0 else { throw .last(verb: "lock", object: path) }
        var status = stat()
        guard fstat(number, &status) == 0 else { throw .last(verb: "look at", object: path) }
        guard belfry_is_regular(status.st_mode), status.st_uid == geteuid(), status.st_mode & 0o077 == 0 else {
            throw SystemError(EPERM, verb: "use", object: path)
        }
    }

    /// Gives the descriptor to code that closes it itself, such as NIO.
    ///
    /// - Returns: its number, which the caller owns.
    public func release() -> Int32 {
        defer { number = -1 }
        return number
    }

    isolated deinit { if number >= 0 { close(number) } }
}
