// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import CBelfry
internal import Glibc
internal import Lifecycle
internal import BelfryListeners
internal import BelfrySystemd
internal import BelfryLinux

/// Stores the number of the last notification in a file of the runtime directory that is mapped into memory: storing
/// costs no system call, and the number survives the process. It begins anew with each boot.
final class SequenceFile: LifecycleSequence {
    private struct Content {
        var boot: IdentifierWords
        var last: UInt64
        /// Zero in the file of an earlier version.
        var id: IdentifierWords
    }

    private static let size = 4096
    /// Offset of the name of the service, which ends with a zero byte. The file of an earlier version has none.
    private static let nameStart = 64
    private static let nameMax = 255
    /// The highest valid number, far from overflow.
    private static let limit: UInt64 = 1 << 62

    private let base: UnsafeMutableRawPointer
    private let content: UnsafeMutablePointer<Content>
    private let descriptor: Int32

    /// The number of the last notification. Later writes of other processes to the file have no effect.
    @exclusivity(unchecked) private(set) var last: UInt64

    /// Opens the file, or makes it, for as long as the process lives.
    ///
    /// - Parameters:
    ///   - path: where it is.
    ///   - service: the name of the service. The file of another service is refused.
    ///   - bootID: numbers of another boot do not count.
    ///   - kept: the last number that the previous process handed over, if it did. A process that was killed may have
    ///     counted one more that no subscriber received; that number is used again. The file may also have been
    ///     removed with its directory (`RuntimeDirectory=` in systemd.exec(5)).
    ///   - onProblem: called with the reason when a file was put aside.
    /// - Throws: `SystemError`, `EWOULDBLOCK` when another process has it and `ENOSPC` when there is no room for it.
    ///   `ForeignFile` when it is another service's.
    init(
        path: String, service: String, bootID: String, kept: UInt64?, onProblem: (String) -> Void = { _ in }
    ) throws {
        let boot = IdentifierWords(bootID)
        var file = try Self.open(path)
        if file.content.boot == boot, file.content.last > Self.limit {
            let number = file.content.last
            Self.close(file.descriptor, file.base)
            guard rename(path, path + ".refused") == 0 else {
                throw SystemError.last(verb: "put aside", object: path)
            }
            onProblem(
                "unable to count on in '\(SystemError.escape(path))': \(number) is no number of a notification, "
                    + "put it aside and counting anew")
            file = try Self.open(path)
        }
        let name = service.utf8.prefix(Self.nameMax)
        if file.content.boot == boot, let owner = Self.name(at: file.base), !owner.utf8.elementsEqual(name) {
            Self.close(file.descriptor, file.base)
            throw ForeignFile(path, of: owner, use: "RuntimeDirectory=")
        }
        (descriptor, base) = (file.descriptor, file.base)
        content = base.bindMemory(to: Content.self, capacity: 1)
        var now = file.content
        if now.boot != boot { now = Content(boot: boot, last: 0, id: .zero) }
        let isNew = now.id == .zero
        if isNew { now.id = .random }
        if let kept, kept < Self.limit, now.last <= kept + 1 { now.last = kept }
        last = now.last
        id = isNew && last > 0 ? nil : now.id.text
        content.pointee = now
        UnsafeMutableRawBufferPointer(start: base + Self.nameStart, count: Self.nameMax + 1)
            .copyBytes(from: Array(name) + Array(repeating: 0, count: Self.nameMax + 1 - name.count))
    }

    isolated deinit { Self.close(descriptor, base) }

    /// The unique id of this counter.
    var counter: String { content.pointee.id.text }

    /// The same, unless the file is new and continues the numbers of another.
    let id: String?

    func next() -> UInt64 {
        // It begins at `limit` at most and so never overflows.
        last += 1
        content.pointee.last = last
        return last
    }

    /// Whether a process has opened the file, and so runs the service.
    static func isInUse(_ path: String) -> Bool {
        let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else { return false }
        defer { Glibc.close(descriptor) }
        return flock(descriptor, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK
    }

    private struct File {
        let descriptor: Int32
        let base: UnsafeMutableRawPointer
        var content: Content { base.load(as: Content.self) }
    }

    private static func open(_ path: String) throws(SystemError) -> File {
        let flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY
        let descriptor = Glibc.open(path, flags, 0o600)
        guard descriptor >= 0 else { throw .last(verb: "open", object: path) }
        do throws(SystemError) {
            return File(descriptor: descriptor, base: try map(descriptor, path))
        } catch {
            Glibc.close(descriptor)
            throw error
        }
    }

    private static func map(_ descriptor: Int32, _ path: String) throws(SystemError) -> UnsafeMutableRawPointer {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .last(verb: "look at", object: path) }
        // Another user who may write to it could truncate it, which ends this process with SIGBUS (mmap(2)).
        guard belfry_is_regular(status.st_mode), status.st_uid == geteuid(), status.st_mode & 0o022 == 0 else {
            throw SystemError(EPERM, verb: "count in", object: path)
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { throw .last(verb: "lock", object: path) }
        // The same happens if there is no room for the page when it is first written.
        var problem: Int32
        // SIGSTOP interrupts it on tmpfs.
        repeat { problem = posix_fallocate(descriptor, 0, off_t(size)) } while problem == EINTR
        guard problem == 0 else { throw SystemError(problem, verb: "make room for", object: path) }
        let address = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0)
        guard let address, address != MAP_FAILED else { throw .last(verb: "map", object: path) }
        return address
    }

    private static func close(_ descriptor: Int32, _ base: UnsafeMutableRawPointer) {
        munmap(base, size)
        Glibc.close(descriptor)
    }

    private static func name(at base: UnsafeMutableRawPointer) -> String? {
        let bytes = UnsafeRawBufferPointer(start: base + nameStart, count: nameMax).prefix { $0 != 0 }
        return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
    }
}
