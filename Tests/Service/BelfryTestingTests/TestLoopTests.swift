// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryEventLoop
import BelfryTesting
import Glibc
import Testing

/// In parallel under `swift test`: each has a loop of its own on the one main actor.
@Suite(.timeLimit(.minutes(1)))
struct TestLoopTests {
    @Test(arguments: 1...20)
    func timersAndDescriptorsOfManyLoopsWorkAtATime(number: Int) async throws {
        let test = try TestLoop()
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        let (reader, writer) = (ends[0], ends[1])
        defer { for end in ends { close(end) } }
        var received: [UInt8] = []

        let timer = try test.loop.timer(after: .milliseconds(number)) { write(writer, "x", 1) }
        let source = try test.loop.source(descriptor: reader, .readable) { _ in
            var byte: UInt8 = 0
            if read(reader, &byte, 1) == 1 { received.append(byte) }
        }
        try await test.until { received == [UInt8(ascii: "x")] }

        timer.cancel()
        source.cancel()
    }

    @Test func childProcessIsReaped() async throws {
        let test = try TestLoop()
        var status: ChildExit?

        let child = try ChildProcess(ChildCommand("/bin/sh", ["-c", "exit 3"]), on: test.loop) { status = $0 }
        try await test.until { status != nil }

        #expect(status?.reason == .exited(3))
        withExtendedLifetime(child) {}
    }

    @Test func waitEndsAtItsLimit() async throws {
        let test = try TestLoop()

        let timeout = await #expect(throws: TestTimeout.self) {
            try await test.until(within: .milliseconds(2)) { false }
        }
        let place = "BelfryTestingTests/TestLoopTests.swift:\(#line - 3)"
        #expect(timeout?.description == "the condition at \(place) did not hold within \(Duration.milliseconds(2))")
    }

    @Test func busySourceDoesNotStopTheTest() async throws {
        let test = try TestLoop()
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        defer { for end in ends { close(end) } }
        var calls = 0

        // A pipe with room is always writable.
        let source = try test.loop.source(descriptor: ends[1], .writable) { _ in calls += 1 }
        try await test.until { calls > 1000 }

        source.cancel()
    }
}
