// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import CBelfry
import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(2)))
struct SignalStormTests {
    let fixture: DaemonFixture
    private let doorbell = belfry_sigrtmin() + 5

    init() throws { fixture = try DaemonFixture() }

    /// Makes this many signals pending at once, each with its number as the value.
    private func queue(_ count: Int, _ daemon: ProbeProcess) throws {
        daemon.send(SIGSTOP)
        try daemon.wait(for: "T")
        for value in 1...count {
            #expect(sigqueue(daemon.pid, doorbell, sigval(sival_ptr: UnsafeMutableRawPointer(bitPattern: value))) == 0)
        }
        daemon.send(SIGCONT)
    }

    @Test func stormIsMergedWithItsCountAndReported() throws {
        let daemon = try fixture.startReady(
            """
            [Signals]
            RTMIN+5=org.example.doorbell
            [Service]
            SignalLimitBurst=10
            SignalLimitInterval=200ms
            SignalLimitRealtime=yes
            """)
        try queue(100, daemon)

        var arrived = 0
        var merged = 0
        var reports: [String] = []
        while arrived + merged < 100, let line = daemon.line() {
            if line.hasPrefix("belfryd: org.example.doorbell") {
                if let match = line.firstMatch(of: /, ([0-9]+) deliveries in one$/) {
                    merged += Int(match.1) ?? 0
                } else {
                    arrived += 1
                }
            } else if line.contains("SIGRTMIN+5") {
                reports.append(line)
            }
        }

        #expect(arrived + merged == 100)
        #expect(merged > 0)
        #expect(reports.first == "belfryd: SIGRTMIN+5 came more than 10 times within 0.2 seconds, merging what follows")
        #expect(reports.contains { $0.contains("merged ") && $0.contains(" deliveries of SIGRTMIN+5 into one") })
        #expect(daemon.stop().status == 0)
    }

    @Test func realTimeSignalsAreNotMergedByDefault() throws {
        let daemon = try fixture.startReady(
            "[Signals]\nRTMIN+5=org.example.doorbell\n[Service]\nSignalLimitBurst=10\n")
        try queue(100, daemon)

        var lines: [String] = []
        while lines.count < 100, let line = daemon.line() {
            if line.hasPrefix("belfryd: org.example.doorbell") { lines.append(line) }
        }

        #expect(lines.count == 100)
        #expect(!lines.contains { $0.contains("deliveries") })
        #expect(daemon.stop().status == 0)
    }

    @Test func mergedSignalsAreDeliveredBeforeTheStop() throws {
        let daemon = try fixture.startReady("[Service]\nSignalLimitBurst=1\nSignalLimitInterval=1h\n")
        daemon.send(SIGUSR1)
        daemon.lines(until: "flushRequested")
        daemon.send(SIGUSR1)
        daemon.lines(until: "SIGUSR1 came more than 1 times")
        daemon.send(SIGTERM)

        let names = daemon.finish().lines.compactMap {
            $0.split(separator: " ").dropFirst().first?.prefix { $0 != "," }
        }

        #expect(names == ["delivered", "flushRequested", "willResignActive", "didEnterBackground", "willTerminate"])
    }

    @Test func lastSignalOfAStormDecidesTheState() throws {
        let daemon = try fixture.startReady("[Service]\nSignalLimitBurst=2\nSignalLimitInterval=1h\n")
        daemon.send(SIGTSTP)
        daemon.lines(until: "didEnterBackground")
        daemon.send(SIGCONT)
        daemon.lines(until: "didBecomeActive")
        daemon.send(SIGTSTP)
        daemon.lines(until: "SIGTSTP came more than 2 times")
        daemon.send(SIGTERM)

        let (lines, status) = daemon.finish()

        #expect(lines.contains { $0.contains("didEnterBackground inactive -> background, SIGTSTP") })
        #expect(lines.last?.contains("willTerminate background -> notRunning") == true)
        #expect(status == 0)
    }

    /// The first signal is within the limit that all transitions share.
    @Test(arguments: [
        ("interrupt", "pause", ["didEnterBackground"]),
        ("pause", "resume", ["didBecomeActive"]),
        ("resume", "interrupt", ["willResignActive"]),
    ])
    func stormOfTransitionsIsMergedWithItsCount(first: String, storm: String, names: [String]) throws {
        let daemon = try fixture.startReady(
            """
            [Signals]
            CONT=ignore
            RTMIN+4=\(first)
            RTMIN+5=\(storm)
            [Service]
            SignalLimitBurst=1
            SignalLimitInterval=500ms
            """)
        daemon.send(SIGSTOP)
        try daemon.wait(for: "T")
        daemon.send(doorbell - 1)
        for _ in 1...10 { daemon.send(doorbell) }
        daemon.send(SIGCONT)

        let merged = daemon.lines(until: ", 10 deliveries in one").last

        #expect(names.contains { merged?.hasPrefix("belfryd: \($0) ") == true }, "\(merged ?? "")")
        #expect(daemon.stop().status == 0)
    }

    @Test func senderHasItsCommand() throws {
        let daemon = try fixture.startReady()
        let name = try String(contentsOfFile: "/proc/self/comm", encoding: .utf8)

        daemon.send(SIGUSR1)
        let line = daemon.lines(until: "flushRequested").last
        daemon.send(SIGTERM)

        let command = name.trimmingCharacters(in: .newlines)
        #expect(line?.contains("SIGUSR1 from pid \(getpid()) (\(command)), uid \(getuid())") == true)
        #expect(daemon.finish().status == 0)
    }
}
