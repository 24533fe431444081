// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import Glibc

/// A file descriptor that belongs to this object, which closes it when it is released.
@MainActor  // in words: an optimised client module of Swift 6.3 misses the default, and then rejects the deinit
public final class OwnedDescriptor {
    /// The number of the descriptor, for calls that leave it open; -1 after `release()`.
    public private(set) var number: Int32

    /// Takes over an open descriptor: nothing else may close it from now on.
    public init(owning number: Int32) { self.number = number }

    /// Owns a copy, which is closed on exec.
    ///
    /// - Throws: `EBADF` for a descriptor that is not open, `EMFILE` without room for another (fcntl(2)).
    package init(copying other: Int32, atLeast lowest: Int32 = 3) throws(SystemError) {
        number = fcntl(other, F_DUPFD_CLOEXEC, lowest)
        guard number >= 0 else { throw .last(verb: "copy descriptor", object: "\(other)") }
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
