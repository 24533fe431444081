// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Testing
import Varlink

struct VarlinkFrameReaderTests {
    @Test func chunksOfAnySizeGiveTheSameFrames() throws {
        let frames: [[UInt8]] = ["", "a", "hello", String(repeating: "x", count: 3000), "", "end"].map {
            Array($0.utf8)
        }
        let stream: [UInt8] = frames.flatMap { (frame: [UInt8]) -> [UInt8] in frame + [0] }
        for size in [1, 2, 3, 7, 64, 1000, stream.count] {
            var reader = VarlinkFrameReader()
            var seen: [[UInt8]] = []

            for start in stride(from: 0, to: stream.count, by: size) {
                reader.append(stream[start..<min(start + size, stream.count)])
                while let frame = try reader.next() { seen.append(Array(frame)) }
            }

            #expect(seen == frames)
            #expect(reader.pendingBytes == 0)
        }
    }

    @Test func longestFrameIsReadAndALongerOneRefused() throws {
        var reader = VarlinkFrameReader(limit: 4)

        reader.append([1, 2, 3, 4, 0, 1, 2, 3, 4, 5])

        #expect(try reader.next().map(Array.init) == [1, 2, 3, 4])
        #expect(throws: VarlinkProtocolError.tooLarge(4)) { _ = try reader.next() }
    }

    @Test func completeFrameBeyondTheLimitIsRefused() {
        var reader = VarlinkFrameReader(limit: 4)

        reader.append([1, 2, 3, 4, 5, 0])

        #expect(throws: VarlinkProtocolError.tooLarge(4)) { try reader.next() }
    }

    @Test func incompleteFrameIsNotReturned() throws {
        var reader = VarlinkFrameReader()

        reader.append([1, 2])

        #expect(try reader.next() == nil)
        let isWhole = reader.containsFrame()
        #expect(!isWhole)
        #expect(reader.pendingBytes == 2)
    }
}

extension VarlinkFrameReader {
    mutating func append(_ bytes: some Sequence<UInt8>) {
        Array(bytes).withUnsafeBytes { append($0) }
    }
}
