// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryListeners
@testable import BelfrySocket
import Testing

/// The memory of a ring, which outlives the ring.
final class RingMemory {
    let bytes: UnsafeMutableRawBufferPointer
    let ends: UnsafeMutablePointer<NotificationRing.Ends>

    init(_ size: Int) {
        bytes = .allocate(byteCount: size, alignment: 16)
        ends = .allocate(capacity: 1)
        ends.initialize(to: NotificationRing.Ends())
    }

    isolated deinit {
        bytes.deallocate()
        ends.deallocate()
    }

    func ring(capacity: Int) -> NotificationRing { NotificationRing(bytes, ends: ends, capacity: capacity) }
}

extension NotificationRing {
    mutating func append(_ message: String, name: String = "n") {
        var (name, message) = (name, message)
        name.withUTF8 { name in
            message.withUTF8 { append(name: UnsafeRawBufferPointer(name), message: UnsafeRawBufferPointer($0)) }
        }
    }

    /// The messages from a number on; nil if some are no longer stored.
    func messages(from first: UInt64) -> [String]? {
        guard first <= last else { return [] }
        guard var cursor = cursor(before: first) else { return nil }
        var found: [String] = []
        while let record = record(at: cursor) {
            found.append(String(decoding: record.message, as: UTF8.self))
            cursor = record.end
        }
        return found
    }
}

struct NotificationRingTests {
    private let memory = RingMemory(4096)

    @Test(arguments: [1, 2, 4, 5, 6, 7, 10, 11, 99] as [UInt64])
    func messagesFromANumberAreCompleteOrNil(first: UInt64) {
        var ring = memory.ring(capacity: 5)
        ring.clear(after: 3)
        for number in 4...10 { ring.append("\(number)") }

        #expect(ring.oldest == 6)
        #expect(ring.messages(from: first) == (first < 6 ? nil : (4...10).filter { $0 >= first }.map { "\($0)" }))
    }

    @Test func placeAfterTheLastMessageIsTheOneBeforeTheNext() throws {
        let memory = RingMemory(1024)
        var ring = memory.ring(capacity: 99)

        // Several times around the memory.
        for number in 1...100 {
            let end = ring.end
            #expect(ring.record(at: end) == nil)
            ring.append("\(number)" + String(repeating: " ", count: number))
            #expect(ring.record(at: end)?.sequence == UInt64(number))
        }
    }

    @Test func emptyRingBeginsAfterItsNumber() {
        var ring = memory.ring(capacity: 8)
        ring.clear(after: 41)

        #expect(ring.oldest == 42)
        #expect(ring.messages(from: 42) == [])
        #expect(ring.messages(from: 41) == nil)
    }

    @Test func messagesAreLimitedByBytes() {
        var ring = memory.ring(capacity: 1000)
        for _ in 0..<10 { ring.append(String(repeating: "x", count: 1000)) }

        #expect(ring.last == 10)
        #expect(ring.oldest == 7)
    }

    @Test func overlongMessageDiscardsAllMessages() throws {
        var ring = memory.ring(capacity: 10)
        ring.append("short")
        ring.append(String(repeating: "x", count: 2048))

        #expect(ring.last == 2)
        #expect(ring.oldest == 3)
        ring.append("after")
        #expect(ring.messages(from: 3) == ["after"])
        var next = memory.ring(capacity: 10)
        try next.check()
        #expect(next.messages(from: 3) == ["after"])
    }

    @Test func nextProcessReadsTheRingAfterEachMessage() throws {
        var ring = memory.ring(capacity: 40)
        var random = SystemRandomNumberGenerator()
        var written: [String] = []
        for _ in 0..<3000 {
            let message = String(repeating: "m", count: .random(in: 0...600, using: &random)) + "\(written.count)"
            ring.append(message, name: String(repeating: "n", count: .random(in: 1...40, using: &random)))
            written.append(message)

            var next = memory.ring(capacity: 40)
            try next.check()
            #expect(next.last == UInt64(written.count) && next.oldest == ring.oldest)
            #expect(next.messages(from: next.oldest) == Array(written[Int(next.oldest - 1)...]))
        }
    }

    @Test func damagedRingIsRefusedOrHarmless() {
        var ring = memory.ring(capacity: 40)
        for number in 0..<100 { ring.append(String(repeating: "m", count: number)) }
        let good = Array(memory.bytes)
        let ends = memory.ends.pointee
        var random = SystemRandomNumberGenerator()
        for _ in 0..<20_000 {
            memory.bytes.copyBytes(from: good)
            memory.ends.pointee = ends
            for _ in 0..<Int.random(in: 1...8, using: &random) {
                memory.bytes[.random(in: 0..<4096, using: &random)] = .random(in: 0...255, using: &random)
            }
            let raw = UnsafeMutableRawBufferPointer(start: memory.ends, count: MemoryLayout<NotificationRing.Ends>.size)
            if Bool.random() { raw[.random(in: 0..<raw.count, using: &random)] = .random(in: 0...255, using: &random) }

            var damaged = memory.ring(capacity: 40)
            guard (try? damaged.check()) != nil else { continue }
            damaged.append("more")
            #expect(damaged.messages(from: damaged.oldest)?.last == "more")
        }
    }
}
