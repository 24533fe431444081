// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Foundation
import TestSupport
import Testing

/// A stop signal with a higher number than SIGCONT, which the service manager sends right after it.
@Suite(.timeLimit(.minutes(2)))
struct StopSignalTests {
    let fixture = DaemonFixture()

    @Test func stopSignalPrecedesTheContinueThatFollowsIt() throws {
        let daemon = try fixture.startReady("[Signals]\nRTMIN+3=stop\n")

        #expect(try namesOfStop(daemon) == ["willTerminate"])
    }

    @Test func stopSignalSetByAReloadPrecedesTheContinue() throws {
        let daemon = try fixture.startReady("[Signals]\nRTMIN+3=flushRequested\n")
        try fixture.directory.write("belfry.conf", "[Signals]\nRTMIN+3=stop\n")
        daemon.send(SIGHUP)
        daemon.lines(until: "didReload")

        #expect(try namesOfStop(daemon) == ["willTerminate"])
    }

    /// The notifications of a stop during a pause, if both signals are pending at once.
    private func namesOfStop(_ daemon: ProbeProcess) throws -> [Substring] {
        daemon.send(SIGTSTP)
        daemon.lines(until: "didEnterBackground")
        daemon.send(SIGSTOP)
        try daemon.wait(for: "T")
        daemon.send(__libc_current_sigrtmin() + 3)
        daemon.send(SIGCONT)
        return daemon.finish().lines.compactMap { $0.split(separator: " ").dropFirst().first }
    }
}
