// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryEventLoop
import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct MainEventLoopTests {
    @Test func asyncCodeSourcesAndChildTasksShareTheMainThread() throws {
        let probe = try ProbeProcess("EventLoopProbe", ["main-actor"])

        let (lines, status) = probe.finish()

        #expect(lines == ["children 6", "continuation", "deferred", "task", "timer", "threads 1"])
        #expect(status == 7)
    }

    @Test func queuedSignalsArriveOneByOneWithSenderAndValue() throws {
        let probe = try ProbeProcess("EventLoopProbe", ["signals"])
        let number = __libc_current_sigrtmin() + 5
        #expect(probe.line() == "ready")

        for value in 0..<1000 { #expect(sigqueue(probe.pid, number, sigval(sival_ptr: .init(bitPattern: value))) == 0) }
        let received = (0..<1000).map { _ in probe.line() }
        kill(probe.pid, SIGTERM)
        let (rest, status) = probe.finish()

        #expect(received == (0..<1000).map { "\(number) \(getpid()) \(getuid()) \($0)" })
        #expect(rest == ["\(SIGTERM) \(getpid()) \(getuid()) 0"])
        #expect(status == 0)
    }
}
