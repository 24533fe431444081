// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Glibc
import BelfryListeners
import BelfrySocket
import BelfryLinux
import Testing

struct RingFileTests {
    private static let boot = "0123456789abcdef0123456789abcdef"
    /// Constants of fcntl(2) that Swift's Glibc lacks.
    private nonisolated enum Seals {
        static let add: Int32 = 1033
        static let get: Int32 = 1034
        static let seal: Int32 = 1
        static let shrink: Int32 = 2
        static let grow: Int32 = 4

        /// A file of memfd_create(2) without seals, which the caller closes.
        static func memoryFile() throws -> Int32 {
            let symbol = try #require(dlsym(nil, "memfd_create"))
            let create = unsafeBitCast(
                symbol, to: (@convention(c) (UnsafePointer<CChar>, UInt32) -> Int32).self)
            let closedOnExec: UInt32 = 1
            let mayBeSealed: UInt32 = 2
            let file = create("unsealed", closedOnExec | mayBeSealed)
            try #require(file >= 0)
            return file
        }
    }

    private static let ringSize = 8192
    private static let fileSize = 4096 + ringSize

    /// The memory of a process that has posted twenty notifications.
    private func memory() throws -> RingFile {
        let file = try RingFile(ringSize: Self.ringSize, bootID: Self.boot)
        var ring = file.ring(capacity: 100)
        for number in 1...20 { ring.append("message \(number)") }
        return file
    }

    /// The same memory, opened by the next process.
    private func next(_ file: RingFile, boot: String = Self.boot) throws -> RingFile {
        try RingFile(opening: dup(file.descriptor), bootID: boot)
    }

    private func checkedRing(_ file: RingFile) throws -> NotificationRing {
        var ring = file.ring(capacity: 100)
        try ring.check()
        return ring
    }

    @Test func nextProcessGetsTheNotifications() throws {
        let next = try next(memory())

        let ring = try checkedRing(next)

        #expect(next.ringSize == Self.ringSize && ring.last == 20)
        #expect(ring.messages(from: 19) == ["message 19", "message 20"])
    }

    @Test func memoryOfAnotherBootOrKindIsRefused() throws {
        let memory = try memory()
        #expect(throws: RingFileError.boot) { try next(memory, boot: "fedcba9876543210") }
        #expect(throws: RingFileError.version(9)) {
            try overwrite(memory, at: MemoryLayout<UInt64>.size, 9)
            _ = try next(memory)
        }
        #expect(throws: RingFileError.foreign) {
            try overwrite(memory, at: 0, 9)
            _ = try next(memory)
        }
    }

    @Test func sizeIsSealed() throws {
        let memory = try memory()
        let all = Seals.seal | Seals.shrink | Seals.grow

        #expect(fcntl(memory.descriptor, Seals.get) & all == all)
        for size in [0, Self.fileSize - 1, Self.fileSize + 1] {
            errno = 0
            #expect(ftruncate(memory.descriptor, off_t(size)) == -1 && errno == EPERM)
        }
    }

    @Test(arguments: [0, Seals.shrink, Seals.grow])
    func memoryOfUnsealedSizeIsRefused(seals: Int32) throws {
        let memory = try memory()
        var content = [UInt8](repeating: 0, count: Self.fileSize)
        try #require(pread(memory.descriptor, &content, content.count, 0) == content.count)
        // Everything else is valid.
        let file = try Seals.memoryFile()
        defer { close(file) }
        try #require(write(file, content, content.count) == content.count && fcntl(file, Seals.add, seals) == 0)

        let refusal = #expect(throws: SystemError.self) {
            try RingFile(opening: dup(file), bootID: Self.boot)
        }
        #expect(refusal?.code == EPERM)
        try #require(fcntl(file, Seals.add, Seals.shrink | Seals.grow) == 0)
        let next = try RingFile(opening: dup(file), bootID: Self.boot)
        #expect(try checkedRing(next).last == 20)
    }

    @Test func regularFileIsRefused() throws {
        let file = try #require(tmpfile())
        defer { fclose(file) }
        #expect(throws: (any Error).self) {
            try RingFile(opening: dup(fileno(file)), bootID: Self.boot)
        }
    }

    @Test func damagedMemoryIsRefusedOrHarmless() throws {
        let memory = try memory()
        let size = Self.fileSize
        var good = [UInt8](repeating: 0, count: size)
        try #require(pread(memory.descriptor, &good, size, 0) == size)
        for _ in 0..<5000 {
            try #require(pwrite(memory.descriptor, good, size, 0) == size)
            for _ in 0..<Int.random(in: 1...20) {
                // Mostly in used parts.
                let place = Bool.random() ? Int.random(in: 0..<256) : Int.random(in: 0..<size)
                var byte = UInt8.random(in: 0...255)
                try #require(pwrite(memory.descriptor, &byte, 1, off_t(place)) == 1)
            }
            guard let next = try? next(memory), var ring = try? checkedRing(next) else { continue }
            ring.append("more")
            #expect(ring.messages(from: ring.last) == ["more"])
        }
    }

    private func overwrite(_ memory: RingFile, at place: Int, _ value: UInt64) throws {
        var value = value
        try #require(pwrite(memory.descriptor, &value, 8, off_t(place)) == 8)
    }
}
