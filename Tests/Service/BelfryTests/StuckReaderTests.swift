// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Foundation
import TestSupport
import Testing

/// A service whose peers do not read.
@Suite(.timeLimit(.minutes(2)))
struct StuckReaderTests {
    let fixture = DaemonFixture()

    @Test func shortWatchdogIntervalIsLimited() throws {
        let daemon = try fixture.start("belfryd", nil, "", environment: ["WATCHDOG_USEC": "1"])
        let lines = daemon.lines(until: "didBecomeActive")
        #expect(fixture.manager.wait(for: "READY=1"))
        let before = try processorTicks(of: daemon.pid)

        // A hundred keep-alives are about a second.
        for _ in 0..<100 { #expect(fixture.manager.wait(for: "WATCHDOG=1")) }

        #expect(try processorTicks(of: daemon.pid) - before < 50)
        #expect(lines.contains { $0.hasSuffix("watchdog of 1 us is too short, it hears every 10 ms") })
        #expect(daemon.stop().status == 0)
    }

    @Test(.enabled(if: !FileManager.default.fileExists(atPath: "/run/systemd/journal/socket")))
    func missingJournalIsReportedAtTheStartAndRefusesAReload() throws {
        let why = "unable to reach the journal at '/run/systemd/journal/socket': No such file or directory (ENOENT)"
        let daemon = try fixture.start("belfryd", nil, "[Logger]\nTarget=journal\n")
        let start = daemon.lines(until: "didBecomeActive")
        #expect(start.contains("belfryd: \(why), writing to standard error"))
        #expect(fixture.manager.wait(for: "READY=1"))

        daemon.send(SIGHUP)

        #expect(
            daemon.lines(until: "didFailToReload").contains { $0.contains("failed at willReload") && $0.hasSuffix(why) }
        )
        #expect(daemon.stop().status == 0)
    }

    /// The processor time of a process, in ticks of a hundredth of a second (proc(5)).
    private func processorTicks(of pid: Int32) throws -> Int {
        let stat = try String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8)
        let fields = stat.split(separator: ")").last?.split(separator: " ") ?? []
        return (Int(fields[11]) ?? 0) + (Int(fields[12]) ?? 0)
    }
}
