// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import Glibc
internal import Lifecycle
internal import ServiceManager
internal import SystemErrors

/// Keeps the number of the last notification in a small file of the runtime directory, mapped into memory: storing it
/// costs no system call, and what was stored survives the process, however it ends. It begins anew with each boot.
final class SequenceFile: LifecycleSequence {
    private struct Content {
        var boot: IdentifierWords
        var last: UInt64
        /// Zero in the file of an earlier version.
        var id: IdentifierWords
    }

    private let content: UnsafeMutablePointer<Content>
    private let descriptor: Int32

    /// Opens the file, or makes it, for as long as the process lives.
    ///
    /// - Parameter kept: the last number that an earlier process kept for its subscribers, if it did. A process that is
    ///   killed may have counted one more, which nobody has heard of; that number is given again. The file may also have
    ///   gone with its directory (`RuntimeDirectory=` in systemd.exec(5)).
    /// - Throws: `EWOULDBLOCK` when another process has it.
    init(path: String, bootID: String, kept: UInt64?) throws(SystemError) {
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw .last(verb: "open", object: path) }
        do throws(SystemError) {
            guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { throw .last(verb: "lock", object: path) }
            let size = MemoryLayout<Content>.size
            guard ftruncate(descriptor, off_t(size)) == 0 else { throw .last(verb: "size", object: path) }
            let address = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0)
            guard let address, address != MAP_FAILED else { throw .last(verb: "map", object: path) }
            content = address.bindMemory(to: Content.self, capacity: 1)
        } catch {
            close(descriptor)
            throw error
        }
        let boot = IdentifierWords(bootID)
        if content.pointee.boot != boot { content.pointee = Content(boot: boot, last: 0, id: .zero) }
        if content.pointee.id == .zero { content.pointee.id = .random }
        if let kept, content.pointee.last <= kept + 1 { content.pointee.last = kept }
    }

    isolated deinit {
        munmap(content, MemoryLayout<Content>.size)
        close(descriptor)
    }

    var last: UInt64 { content.pointee.last }

    /// What tells this counter from others, also from those that began anew in the same boot.
    var id: String { content.pointee.id.text }

    func next() -> UInt64 {
        content.pointee.last += 1
        return content.pointee.last
    }
}
