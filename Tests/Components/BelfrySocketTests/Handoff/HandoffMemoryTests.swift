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

    private let layout = HandoffLayout(ringSize: 8192, entries: 16)

    private func memory() throws -> HandoffMemory {
        let memory = try HandoffMemory(layout, capacity: 100, bootID: Self.boot, after: 0)
        for number in 1...20 {
            memory.ring.append("message \(number)", name: number.isMultiple(of: 2) ? "even" : "odd")
        }
        return memory
    }

    /// The same memory, opened by the next process.
    private func next(_ memory: HandoffMemory, boot: String = Self.boot) throws -> HandoffMemory {
        try HandoffMemory(opening: dup(memory.descriptor), capacity: 100, bootID: boot)
    }

    private func add(_ memory: HandoffMemory, inode: UInt64, _ names: Set<UTF8Text>?, _ position: belfry_position)
        throws
        -> Int
    {
        let added = memory.slots.add(inode: inode, names: names)
        let slot = try #require(added)
        try #require(memory.slots.recorder(of: slot)).record(Int(position.bytes), of: position.number)
        memory.slots.confirm(slot)
        return slot
    }

    @Test func nextProcessGetsMessagesAndSubscriptions() throws {
        let memory = try memory()
        let position = belfry_position(number: 7, bytes: 3)
        _ = try add(memory, inode: 11, nil, position)
        let gone = try add(memory, inode: 12, ["odd"], position)
        _ = try add(memory, inode: 13, ["even", "odd"], position)
        memory.slots.remove(gone)

        let next = try next(memory)

        #expect(next.ring.last == 20)
        #expect(next.ring.messages(from: 19) == ["message 19", "message 20"])
        #expect(next.subscriptions.map(\.inode) == [11, 13])
        #expect(next.subscriptions.map(\.names) == [nil, ["even", "odd"]])
        #expect(next.subscriptions.allSatisfy { $0.position?.number == 7 && $0.position?.bytes == 3 })
        let added = next.slots.add(inode: 14, names: ["odd"])
        #expect(added == gone)
    }

    @Test func unconfirmedSubscriptionIsDiscarded() throws {
        let memory = try memory()
        _ = memory.slots.add(inode: 11, names: nil)

        #expect(try next(memory).subscriptions.isEmpty)
    }

    @Test(
        arguments: [(0, 4, 0), (9, 5, 0), (9 + 2, 5, 2), (9 * 6, 10, 0), (9 * 6 + 1, 10, 1)]
            as [(Int, UInt64, UInt64)])
    func inFlightWriteIsCountedByMessages(count: Int, number: UInt64, bytes: UInt64) throws {
        let memory = try memory()
        defer { withExtendedLifetime(memory) {} }

        let position = belfry_position(number: 4, bytes: 0).advanced(by: count, nil, memory.ring)

        #expect(position?.number == number && position?.bytes == bytes)
    }

    @Test func inFlightWriteCountsOnlyNamesAskedFor() throws {
        let memory = try memory()
        defer { withExtendedLifetime(memory) {} }

        let position = belfry_position(number: 4, bytes: 4).advanced(by: 5 + 9 + 1, ["even"], memory.ring)

        #expect(position?.number == 8 && position?.bytes == 1)
        #expect(belfry_position(number: 20, bytes: 0).advanced(by: 11, nil, memory.ring) == nil)
    }

    @Test func memoryIsCopiedIntoALargerLayout() throws {
        let memory = try memory()
        _ = try add(memory, inode: 11, nil, belfry_position(number: 7, bytes: 0))
        _ = try add(memory, inode: 12, ["odd"], belfry_position(number: 8, bytes: 1))
        let old = try next(memory)

        let wide = HandoffLayout(ringSize: 65536, entries: 64)
        let grown = try HandoffMemory(copying: old, wide, capacity: 100, bootID: Self.boot)
        let next = try next(grown)

        #expect(next.layout == wide && next.generation == 1)
        #expect(next.ring.last == 20 && next.ring.oldest == 1)
        #expect(next.subscriptions.map(\.inode) == [11, 12] && next.subscriptions.map(\.names) == [nil, ["odd"]])
        #expect(next.subscriptions[1].position?.number == 8 && next.subscriptions[1].position?.bytes == 1)
    }

    @Test func memoryOfAnotherBootOrKindIsRefused() throws {
        let memory = try memory()
        #expect(throws: HandoffMemoryError.boot) { try next(memory, boot: "fedcba9876543210") }
        #expect(throws: HandoffMemoryError.version(9)) {
            try overwrite(memory, at: MemoryLayout<UInt64>.size, 9)
            _ = try next(memory)
        }
        #expect(throws: HandoffMemoryError.foreign) {
            try overwrite(memory, at: 0, 9)
            _ = try next(memory)
        }
    }

    @Test func sizeIsSealed() throws {
        let memory = try memory()
        let all = Seals.seal | Seals.shrink | Seals.grow

        #expect(fcntl(memory.descriptor, Seals.get) & all == all)
        for size in [0, layout.size - 1, layout.size + 1] {
            errno = 0
            #expect(ftruncate(memory.descriptor, off_t(size)) == -1 && errno == EPERM)
        }
    }

    @Test(arguments: [0, Seals.shrink, Seals.grow])
    func memoryOfUnsealedSizeIsRefused(seals: Int32) throws {
        let memory = try memory()
        var content = [UInt8](repeating: 0, count: layout.size)
        try #require(pread(memory.descriptor, &content, content.count, 0) == content.count)
        // Everything else is valid.
        let file = try Seals.memoryFile()
        defer { close(file) }
        try #require(write(file, content, content.count) == content.count && fcntl(file, Seals.add, seals) == 0)

        let refusal = #expect(throws: SystemError.self) {
            try HandoffMemory(opening: dup(file), capacity: 100, bootID: Self.boot)
        }
        #expect(refusal?.code == EPERM)
        try #require(fcntl(file, Seals.add, Seals.shrink | Seals.grow) == 0)
        let next = try HandoffMemory(opening: dup(file), capacity: 100, bootID: Self.boot)
        withExtendedLifetime(next) { #expect(next.ring.last == 20) }
    }

    @Test func regularFileIsRefused() throws {
        let file = try #require(tmpfile())
        defer { fclose(file) }
        #expect(throws: (any Error).self) {
            try HandoffMemory(opening: dup(fileno(file)), capacity: 1, bootID: Self.boot)
        }
    }

    @Test func damagedMemoryIsRefusedOrHarmless() throws {
        let memory = try memory()
        for inode in 1...5 {
            _ = try add(memory, inode: UInt64(inode), ["odd"], belfry_position(number: 7, bytes: 0))
        }
        let size = layout.size
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
            guard let next = try? next(memory) else { continue }
            next.ring.append("more")
            #expect(next.ring.messages(from: next.ring.last) == ["more"])
            for subscription in next.subscriptions { next.slots.remove(subscription.slot) }
            let added = next.slots.add(inode: 1, names: ["odd"])
            #expect(added != nil)
        }
    }

    private func overwrite(_ memory: HandoffMemory, at place: Int, _ value: UInt64) throws {
        var value = value
        try #require(pwrite(memory.descriptor, &value, 8, off_t(place)) == 8)
    }
}
