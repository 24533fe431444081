// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryEventLoop
import Glibc
import Testing

@testable import Varlink

/// What a stream holds is freed when it is closed, not when the last reference is gone.
struct FrameStreamTests {
    @Test func closedStreamHoldsNoInput() throws {
        let loop = try MainEventLoop()
        let ends = try socketPair()
        defer { close(ends[1]) }
        let stream = try FrameStream(ends[0], frameLimit: 1 << 20, writer: TurnWriter(on: loop))
        try stream.start()
        let input = [UInt8](repeating: UInt8(ascii: "x"), count: 40_000)
        try #require(write(ends[1], input, input.count) == input.count)

        while stream.frames.pendingBytes < input.count { try loop.turn(waiting: .seconds(1)) }
        stream.close()

        #expect(stream.frames.heldBytes == 0)
    }

    /// What it waits for would never come.
    @Test func streamThatCannotBeWatchedEnds() throws {
        let loop = try MainEventLoop()
        let ends = try socketPair()
        defer { close(ends[1]) }
        let stream = try EndingStream(ends[0], frameLimit: 1 << 20, writer: TurnWriter(on: loop))
        try stream.start()
        // The kernel does not watch this socket.
        try #require(dup2(ends[1], ends[0]) == ends[0])

        stream.readsInput = false
        while !stream.isClosed { try loop.turn(waiting: .seconds(1)) }

        #expect(stream.end?.contains("unable to watch descriptor") == true)
    }

    private final class EndingStream: FrameStream {
        var end: String?
        override func ended(_ end: End) { self.end = "\(end)" }
    }
}
