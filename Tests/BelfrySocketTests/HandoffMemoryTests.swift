// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import CBelfry
import Glibc
import BelfryListeners
import BelfrySocket
import BelfryLinux
import Testing
import Varlink

struct HandoffMemoryTests {
    private static let boot = "0123456789abcdef0123456789abcdef"
    /// Of fcntl(2); Swift's Glibc has none of it.
    private nonisolated enum Seals {
        static let add: Int32 = 1033
        static let get: Int32 = 1034
        static let seal: Int32 = 1
        static let shrink: Int32 = 2
        static let grow: Int32 = 4

        /// memfd_create(2), to be closed; nothing is sealed.
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

    private let layout = HandoffLayout(ringSize: 8192, entries: 16, blocks: 16)

    private func state() throws -> HandoffMemory {
        let state = try HandoffMemory(layout, capacity: 100, bootID: Self.boot, after: 0)
        for number in 1...20 { state.ring.append("message \(number)", name: number.isMultiple(of: 2) ? "even" : "odd") }
        return state
    }

    /// The same memory, as the next process gets it.
    private func next(_ state: HandoffMemory, boot: String = Self.boot) throws -> HandoffMemory {
        try HandoffMemory(taking: dup(state.descriptor), capacity: 100, bootID: boot)
    }

    private func add(_ state: HandoffMemory, inode: UInt64, _ names: Set<UTF8Text>?, _ progress: belfry_progress) throws
        -> Int
    {
        let added = state.subscribers.add(inode: inode, names: names)
        let line = try #require(added)
        try #require(state.subscribers.note(line)).progress.pointee = progress
        state.subscribers.confirm(line)
        return line
    }

    @Test func nextProcessFindsEverything() throws {
        let state = try state()
        let progress = belfry_progress(next: 7, written: 3, own: 0)
        _ = try add(state, inode: 11, nil, progress)
        let gone = try add(state, inode: 12, ["odd"], progress)
        _ = try add(state, inode: 13, ["even", "odd"], progress)
        state.subscribers.remove(gone, names: ["odd"])

        let next = try next(state)

        #expect(next.ring.last == 20)
        #expect(next.ring.messages(from: 19) == ["message 19", "message 20"])
        #expect(next.left.map(\.inode) == [11, 13])
        #expect(next.left.map(\.names) == [nil, ["even", "odd"]])
        #expect(next.left.allSatisfy { $0.progress?.next == 7 && $0.progress?.written == 3 })
        let added = next.subscribers.add(inode: 14, names: ["odd"])
        #expect(added == gone)
    }

    @Test func subscriberThatWasNotConfirmedDoesNotCount() throws {
        let state = try state()
        _ = state.subscribers.add(inode: 11, names: nil)

        #expect(try next(state).left.isEmpty)
    }

    @Test(
        arguments: [
            (0, 4, 0, 5), (5, 4, 0, 0), (5 + 9, 5, 0, 0), (5 + 9 + 2, 5, 2, 0), (5 + 9 * 6, 10, 0, 0),
            (5 + 9 * 6 + 1, 10, 1, 0),
        ] as [(Int, UInt64, UInt32, UInt32)])
    func writeInFlightIsCountedByMessages(bytes: Int, next: UInt64, written: UInt32, own: UInt32) throws {
        let state = try state()
        defer { withExtendedLifetime(state) {} }

        let progress = belfry_progress(next: 4, written: 0, own: 5).advanced(by: bytes, nil, state.ring)

        #expect(progress?.next == next && progress?.written == written && progress?.own == own)
    }

    @Test func writeInFlightCountsOnlyWhatIsWanted() throws {
        let state = try state()
        defer { withExtendedLifetime(state) {} }

        let progress = belfry_progress(next: 4, written: 4, own: 0).advanced(by: 5 + 9 + 1, ["even"], state.ring)

        #expect(progress?.next == 8 && progress?.written == 1)
        #expect(belfry_progress(next: 20, written: 0, own: 0).advanced(by: 11, nil, state.ring) == nil)
    }

    @Test func growsIntoAnotherLayout() throws {
        let state = try state()
        _ = try add(state, inode: 11, nil, belfry_progress(next: 7, written: 0, own: 0))
        _ = try add(state, inode: 12, ["odd"], belfry_progress(next: 8, written: 1, own: 0))
        let old = try next(state)

        let wide = HandoffLayout(ringSize: 65536, entries: 64, blocks: 64)
        let grown = try HandoffMemory(copying: old, wide, capacity: 100, bootID: Self.boot)
        let next = try next(grown)

        #expect(next.layout == wide && next.generation == 1)
        #expect(next.ring.last == 20 && next.ring.oldest == 1)
        #expect(next.left.map(\.inode) == [11, 12] && next.left.map(\.names) == [nil, ["odd"]])
        #expect(next.left[1].progress?.next == 8 && next.left[1].progress?.written == 1)
    }

    @Test func memoryOfAnotherBootOrKindIsRefused() throws {
        let state = try state()
        #expect(throws: HandoffMemoryError.boot) { try next(state, boot: "fedcba9876543210") }
        #expect(throws: HandoffMemoryError.version(9)) {
            try poke(state, at: MemoryLayout<UInt64>.size, 9)
            _ = try next(state)
        }
        #expect(throws: HandoffMemoryError.foreign) {
            try poke(state, at: 0, 9)
            _ = try next(state)
        }
    }

    @Test func sizeIsSealed() throws {
        let state = try state()
        let all = Seals.seal | Seals.shrink | Seals.grow

        #expect(fcntl(state.descriptor, Seals.get) & all == all)
        for size in [0, layout.size - 1, layout.size + 1] {
            errno = 0
            #expect(ftruncate(state.descriptor, off_t(size)) == -1 && errno == EPERM)
        }
    }

    @Test(arguments: [0, Seals.shrink, Seals.grow])
    func memoryWhoseSizeIsNotSealedIsRefused(seals: Int32) throws {
        let state = try state()
        var content = [UInt8](repeating: 0, count: layout.size)
        try #require(pread(state.descriptor, &content, content.count, 0) == content.count)
        // All else about it is right.
        let file = try Seals.memoryFile()
        defer { close(file) }
        try #require(write(file, content, content.count) == content.count && fcntl(file, Seals.add, seals) == 0)

        let refusal = #expect(throws: SystemError.self) {
            try HandoffMemory(taking: dup(file), capacity: 100, bootID: Self.boot)
        }
        #expect(refusal?.code == EPERM)
        try #require(fcntl(file, Seals.add, Seals.shrink | Seals.grow) == 0)
        let next = try HandoffMemory(taking: dup(file), capacity: 100, bootID: Self.boot)
        withExtendedLifetime(next) { #expect(next.ring.last == 20) }
    }

    @Test func fileThatCannotBeSealedIsRefused() throws {
        let file = try #require(tmpfile())
        defer { fclose(file) }
        #expect(throws: (any Error).self) {
            try HandoffMemory(taking: dup(fileno(file)), capacity: 1, bootID: Self.boot)
        }
    }

    @Test func damageIsRefusedOrHarmless() throws {
        let state = try state()
        for inode in 1...5 {
            _ = try add(state, inode: UInt64(inode), ["odd"], belfry_progress(next: 7, written: 0, own: 0))
        }
        let size = layout.size
        var good = [UInt8](repeating: 0, count: size)
        try #require(pread(state.descriptor, &good, size, 0) == size)
        for _ in 0..<5000 {
            try #require(pwrite(state.descriptor, good, size, 0) == size)
            for _ in 0..<Int.random(in: 1...20) {
                // Mostly where something stands.
                let place = Bool.random() ? Int.random(in: 0..<256) : Int.random(in: 0..<size)
                var byte = UInt8.random(in: 0...255)
                try #require(pwrite(state.descriptor, &byte, 1, off_t(place)) == 1)
            }
            guard let next = try? next(state) else { continue }
            next.ring.append("more")
            #expect(next.ring.messages(from: next.ring.last) == ["more"])
            for left in next.left { next.subscribers.remove(left.line, names: left.names) }
            let added = next.subscribers.add(inode: 1, names: ["odd"])
            #expect(added != nil)
        }
    }

    private func poke(_ state: HandoffMemory, at place: Int, _ value: UInt64) throws {
        var value = value
        try #require(pwrite(state.descriptor, &value, 8, off_t(place)) == 8)
    }
}
