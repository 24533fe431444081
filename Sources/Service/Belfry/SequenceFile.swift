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

    private let file: File
    private let content: UnsafeMutablePointer<Content>

    /// The number of the last notification. Later writes of other processes to the file have no effect.
    private(set) var last: UInt64

    /// Uses the file for as long as the process lives.
    ///
    /// - Parameters:
    ///   - lock: the file, which is locked: the process that has the lock runs the service. Nobody else writes what the
    ///     service keeps.
    ///   - path: where it is.
    ///   - service: the name of the service. The file of another service is refused.
    ///   - bootID: numbers of another boot do not count.
    ///   - kept: the last number that the previous process handed over, if it did. A process that was killed may have
    ///     counted one more that no subscriber received; that number is used again. The file may also have been
    ///     removed with its directory (`RuntimeDirectory=` in systemd.exec(5)).
    ///   - onProblem: called with the reason when a file was put aside.
    /// - Throws: `SystemError`, `ENOSPC` when there is no room for it. `ForeignFile` when it is another service's.
    init(
        _ lock: OwnedDescriptor, path: String, service: String, bootID: String, kept: UInt64?,
        onProblem: (String) -> Void = { _ in }
    ) throws {
        let boot = IdentifierWords(bootID)
        var file = try File(lock, path)
        if file.content.boot == boot, file.content.last > Self.limit {
            let number = file.content.last
            guard rename(path, path + ".refused") == 0 else {
                throw SystemError.last(verb: "put aside", object: path)
            }
            onProblem(
                "unable to count on in '\(SystemError.escape(path))': \(number) is no number of a notification, "
                    + "put it aside and counting anew")
            file = try File(OwnedDescriptor(locking: path), path)
        }
        let name = service.utf8.prefix(Self.nameMax)
        if file.content.boot == boot, let owner = file.name, !owner.utf8.elementsEqual(name) {
            throw ForeignFile(path, of: owner, use: "RuntimeDirectory=")
        }
        self.file = file
        content = file.base.bindMemory(to: Content.self, capacity: 1)
        var now = file.content
        if now.boot != boot { now = Content(boot: boot, last: 0, id: .zero) }
        let isNew = now.id == .zero
        if isNew { now.id = .random }
        if let kept, kept < Self.limit, now.last <= kept + 1 { now.last = kept }
        last = now.last
        id = isNew && last > 0 ? nil : now.id.text
        content.pointee = now
        UnsafeMutableRawBufferPointer(start: file.base + Self.nameStart, count: Self.nameMax + 1)
            .copyBytes(from: Array(name) + Array(repeating: 0, count: Self.nameMax + 1 - name.count))
    }

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

    /// The file, locked and mapped.
    private final class File {
        private let descriptor: OwnedDescriptor
        let base: UnsafeMutableRawPointer

        init(_ lock: OwnedDescriptor, _ path: String) throws(SystemError) {
            descriptor = lock
            // Without room for the page, its first write would end this process with SIGBUS.
            var problem: Int32
            // SIGSTOP interrupts it on tmpfs.
            repeat { problem = posix_fallocate(descriptor.number, 0, off_t(size)) } while problem == EINTR
            guard problem == 0 else { throw SystemError(problem, verb: "make room for", object: path) }
            let address = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor.number, 0)
            guard let address, address != MAP_FAILED else { throw .last(verb: "map", object: path) }
            base = address
        }

        isolated deinit { munmap(base, size) }

        var content: Content { base.load(as: Content.self) }

        var name: String? {
            let bytes = UnsafeRawBufferPointer(start: base + nameStart, count: nameMax).prefix { $0 != 0 }
            return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
        }
    }
}
