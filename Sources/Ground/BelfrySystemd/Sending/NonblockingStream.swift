// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import CBelfry
internal import Glibc

/// Writes to a descriptor that other processes share, such as standard error, without blocking.
///
/// The descriptor itself is not made non-blocking, since that would change it for every process that shares it. A pipe
/// or a terminal is opened again (proc(5), `/proc/self/fd`), which gives an open file description of our own. Where
/// that is not allowed, poll(2) says whether there is room, and a write has at most `PIPE_BUF` bytes (pipe(7)).
@MainActor  // see MainEventLoop
package final class NonblockingStream {
    private nonisolated enum Kind {
        case file, socket, opened, shared
    }

    private nonisolated static let pipeBuffer = 4096
    private let descriptor: Int32
    private let kind: Kind

    /// Writes to this descriptor, which stays open.
    package init(_ shared: Int32) {
        var status = stat()
        let isKnown = fstat(shared, &status) == 0
        let format = status.st_mode & S_IFMT
        if isKnown, format == S_IFSOCK {
            (descriptor, kind) = (shared, .socket)
        } else if isKnown, format == S_IFIFO || format == S_IFCHR {
            let own = open("/proc/self/fd/\(shared)", O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
            (descriptor, kind) = own >= 0 ? (own, .opened) : (shared, .shared)
        } else {
            (descriptor, kind) = (shared, .file)
        }
    }

    isolated deinit { if kind == .opened { close(descriptor) } }

    /// Writes as much as there is room for, and removes it from `bytes`.
    package func write(_ bytes: inout [UInt8]) -> SendQueue<[UInt8]>.Attempt {
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes(writeSome)
            if count < 0 { return errno == EAGAIN ? .again : .lost }
            bytes.removeFirst(count)
        }
        return .sent
    }

    // Not isolated, as the closure is called by the standard library, which would first have to find the actor.
    private nonisolated func writeSome(_ bytes: UnsafeRawBufferPointer) -> Int {
        switch kind {
        case .file, .opened: return Glibc.write(descriptor, bytes.baseAddress, bytes.count)
        case .socket:
            let flags = Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL)
            return send(descriptor, bytes.baseAddress, bytes.count, flags)
        case .shared:
            var room = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            guard poll(&room, 1, 0) > 0 else {
                errno = EAGAIN
                return -1
            }
            return Glibc.write(descriptor, bytes.baseAddress, min(bytes.count, Self.pipeBuffer))
        }
    }
}
