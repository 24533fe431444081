// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Lifecycle
import TestSupport
import Testing

/// Bytes that are not what was written are refused with the reason, whatever is wrong with them.
@Suite(.timeLimit(.minutes(1)))
struct RestorationDamageTests {
    typealias Sample = RestorationSample

    private func failure(_ bytes: [UInt8]) -> RestorationError? {
        do throws(RestorationError) {
            _ = try RestorationArchive(bytes: bytes)
            return nil
        } catch {
            return error
        }
    }

    @Test func everyTruncationIsRefused() throws {
        let bytes = try Sample.archive().bytes

        for count in bytes.indices {
            let expected: RestorationError =
                switch count {
                case 0: .empty
                case ..<18: .truncated(expected: 18, found: count)
                default: .truncated(expected: bytes.count, found: count)
                }
            #expect(failure(Array(bytes.prefix(count))) == expected)
        }
    }

    @Test func everyFlippedBitIsRefused() throws {
        let bytes = try Sample.archive().bytes

        for bit in 0..<bytes.count * 8 {
            var flipped = bytes
            flipped[bit / 8] ^= 1 << (bit % 8)
            let error = failure(flipped)
            switch bit / 8 {
            case 0..<8: #expect(error == .notAnArchive)
            case 8..<10: #expect(error == .checksum || error == .formatTooNew(Int(flipped[8]) + Int(flipped[9]) << 8))
            case 10..<14:
                guard case .truncated = error else {
                    #expect(error == .checksum)
                    continue
                }
            default: #expect(error == .checksum)
            }
        }
    }

    @Test func everyLostByteIsRefused() throws {
        let bytes = try Sample.archive().bytes

        for index in bytes.indices {
            var short = bytes
            short.remove(at: index)
            #expect(failure(short) != nil)
            #expect(failure(bytes + [bytes[index]]) != nil)
        }
    }

    @Test func randomBytesAreRefused() {
        var generator = SeededRandom(seed: 20)
        for _ in 0..<20_000 {
            let bytes = (0..<Int.random(in: 0..<200, using: &generator)).map { _ in
                UInt8.random(in: 0...255, using: &generator)
            }
            #expect(failure(bytes) == (bytes.isEmpty ? .empty : .notAnArchive))
        }
    }

    /// What is intact by its checksum is either refused, or exactly what writing it again gives.
    @Test func randomPayloadsAreRefusedOrRead() throws {
        var generator = SeededRandom(seed: 21)
        var read = 0
        for _ in 0..<20_000 {
            let payload = (0..<Int.random(in: 0..<24, using: &generator)).map { _ in
                Bool.random(using: &generator)
                    ? UInt8.random(in: 0..<9, using: &generator) : UInt8.random(in: 0...255, using: &generator)
            }
            let bytes = Sample.sealed(payload)
            guard let archive = try? RestorationArchive(bytes: bytes) else { continue }
            read += 1
            #expect(archive.bytes == bytes)
        }
        #expect(read > 0)
    }

    @Test func mutatedPayloadsAreRefusedOrRead() throws {
        let payload = Sample.payload(try Sample.archive().bytes)
        var generator = SeededRandom(seed: 22)
        var (read, refused) = (0, 0)
        for _ in 0..<20_000 {
            var mutated = payload
            for _ in 0..<Int.random(in: 1..<4, using: &generator) {
                let index = Int.random(in: mutated.indices, using: &generator)
                switch Int.random(in: 0..<4, using: &generator) {
                case 0: mutated[index] = UInt8.random(in: 0...255, using: &generator)
                case 1: mutated[index] = UInt8.random(in: 0..<9, using: &generator)
                case 2: mutated.remove(at: index)
                default: mutated.insert(UInt8.random(in: 0...255, using: &generator), at: index)
                }
            }
            let bytes = Sample.sealed(mutated)
            if let archive = try? RestorationArchive(bytes: bytes) {
                read += 1
                #expect(archive.bytes == bytes)
            } else {
                refused += 1
            }
        }
        #expect(read > 100 && refused > 100)
    }

    @Test func randomArchivesComeBack() throws {
        var generator = SeededRandom(seed: 23)
        for _ in 0..<1000 {
            var archive = RestorationArchive()
            for index in 0..<Int.random(in: 0..<5, using: &generator) {
                let value = Sample.randomValue(&generator)
                try archive.insert(.init(version: index, value: value), for: "\(index)")
            }
            #expect(try RestorationArchive(bytes: archive.bytes) == archive)
        }
    }

    @Test func otherFormatsAreRefused() {
        #expect(failure(Sample.sealed([0], version: 2)) == .formatTooNew(2))
        #expect(failure(Sample.sealed([0], version: 0)) == .malformed(offset: 8, reason: "format 0 does not exist"))
        #expect(failure(Array("{}".utf8)) == .notAnArchive)
    }

    @Test(
        arguments: [
            ([], 14, "value runs past the end"),
            ([0, 0], 15, "1 bytes too many"),
            ([2, 1, 0x61, 2, 0], 14, "2 in the 4 bytes left"),
            ([1, 1, 0x61, 2, 9], 18, "unknown tag 9"),
            ([1, 1, 0x61, 2, 8], 18, "unknown tag 8"),
            ([1, 1, 0xFF, 2, 0], 15, "string is not UTF-8"),
            ([1, 9, 0x61, 2, 0], 15, "9 in the 3 bytes left"),
            ([1, 1, 0x61, 2, 5, 0x80, 0], 19, "number is not in its shortest form"),
            (
                [1, 1, 0x61, 2, 6, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 2], 19,
                "number is not in its shortest form"
            ),
            (
                [1, 1, 0x61, 2, 6, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 1], 19,
                "18446744073709551615 in the 0 bytes left"
            ),
            ([1, 1, 0x61, 2, 7, 2, 1, 0x62, 0, 1, 0x61, 0], 23, "keys out of order"),
            ([1, 1, 0x61, 2, 7, 2, 1, 0x61, 0, 1, 0x61, 0], 23, "keys out of order"),
            ([1, 1, 0x61, 2, 7, 2, 3, 0x65, 0xCC, 0x81, 0, 2, 0xC3, 0xA9, 0], 25, "duplicate key"),
            ([2, 1, 0x62, 2, 0, 1, 0x61, 2, 0], 19, "identifiers out of order"),
        ] as [([UInt8], Int, String)])
    func malformedPayloadIsRefusedWithItsPlace(payload: [UInt8], offset: Int, reason: String) {
        #expect(failure(Sample.sealed(payload)) == .malformed(offset: offset, reason: reason))
    }

    @Test func identifiersOfOneArchiveDiffer() {
        #expect(failure(Sample.sealed([2, 1, 0x61, 2, 0, 1, 0x61, 2, 0])) == .duplicateIdentifier("a"))
        #expect(
            failure(Sample.sealed([2, 3, 0x65, 0xCC, 0x81, 2, 0, 2, 0xC3, 0xA9, 2, 0])) == .duplicateIdentifier("é"))
        #expect(failure(Sample.sealed([1, 0, 2, 0])) == .invalidIdentifier(""))
    }

    @Test func hostileDepthIsRefused() {
        let arrays = (0..<200_000).map { UInt8($0 % 2 == 0 ? 6 : 1) }

        #expect(failure(Sample.sealed([1, 1, 0x61, 2] + arrays + [0])) == .tooDeep(limit: 64))
    }

    @Test func reasonsReadWell() {
        #expect(RestorationError.truncated(expected: 20, found: 3).description == "archive is truncated: 3 of 20 bytes")
        #expect(
            RestorationError.malformed(offset: 14, reason: "unknown tag 9").description
                == "archive is malformed at byte 14: unknown tag 9")
        #expect(
            RestorationError.formatTooNew(2).description == "archive format 2 is newer than 1, the newest known here")
    }
}
