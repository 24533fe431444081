// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryLinux
import Foundation
import Glibc
import Testing

@Suite(.timeLimit(.minutes(1)))
nonisolated struct StandardStreamsTests {
    /// As a terminal or a pipe is that another program has made non-blocking.
    @Test func nothingIsLostOnAStreamThatIsFull() async throws {
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0 && fcntl(ends[1], F_SETFL, O_NONBLOCK) == 0)
        let (reading, writing) = (ends[0], ends[1])
        let text = (0..<50_000).map { "line \($0)\n" }.joined()
        let reader = Task.detached { try FileHandle(fileDescriptor: reading, closeOnDealloc: true).readToEnd() }

        let code = StandardStreams.write(Array(text.utf8), to: writing)
        close(writing)

        #expect(code == 0)
        #expect(try await reader.value == Data(text.utf8))
    }

    @Test func failureEndsTheWrite() {
        #expect(StandardStreams.write([1], to: -1) == EBADF)
    }
}
