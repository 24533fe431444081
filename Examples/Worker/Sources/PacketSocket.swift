// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Belfry
import Glibc

/// Calls of unix(7) that need some lines in Swift.
enum PacketSocket {
    /// Makes a socket that listens. A socket file that an earlier process has left is replaced.
    static func listen(on path: String) throws -> OwnedDescriptor {
        let kind = Int32(SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let made = OwnedDescriptor(owning: socket(AF_UNIX, kind, 0))
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        // One byte less than there is room, for the NUL at the end.
        guard path.utf8.count < MemoryLayout.size(ofValue: address.sun_path) else {
            throw LifecycleRefusal("unable to listen on '\(path)': the path is too long")
        }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        unlink(path)
        let isBound = withUnsafePointer(to: address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(made.number, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
        guard isBound, Glibc.listen(made.number, 64) == 0 else {
            throw LifecycleRefusal("unable to listen on '\(path)': \(String(cString: strerror(errno)))")
        }
        return made
    }

    /// Accepts a client; nil if it has left.
    static func accept(_ socket: Int32) -> OwnedDescriptor? {
        let number = Glibc.accept(socket, nil, nil)
        guard number >= 0 else { return nil }
        _ = fcntl(number, F_SETFD, FD_CLOEXEC)
        return OwnedDescriptor(owning: number)
    }

    /// The number that a socket keeps for its life, also in the next process.
    static func inode(_ socket: OwnedDescriptor) -> ino_t {
        var status = stat()
        fstat(socket.number, &status)
        return status.st_ino
    }
}
