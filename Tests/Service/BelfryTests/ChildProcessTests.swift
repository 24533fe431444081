// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Foundation
import TestSupport
import Testing

/// Children of a service.
@Suite(.timeLimit(.minutes(2)))
struct ChildProcessTests {
    let fixture = DaemonFixture()

    @Test func childStartsAsFromAShell() throws {
        let service = try fixture.start("ServiceProbe", ["start"], environment: ["WATCHDOG_USEC": "30000000"])

        let lines = service.lines(until: "ended")

        #expect(lines.contains("pidfd true"))
        #expect(lines.contains("SigBlk:\t0000000000000000"))
        // 32 and 33 are the C library's own, and stay as the test was started.
        let ignored = lines.first { $0.hasPrefix("SigIgn:\t") }.flatMap { UInt64($0.dropFirst(8), radix: 16) }
        #expect(ignored.map { $0 & ~0x1_8000_0000 } == 0)
        #expect(lines.contains("0, 1, 2"))
        #expect(lines.contains("manager none none"))
        #expect(lines.contains("group 1"))
        #expect(lines.last == "ended signaled(15)")
        #expect(service.stop().status == 0)
    }

    @Test func treeIsEndedAsAWhole() throws {
        let service = try fixture.startReady("ServiceProbe", ["start"])
        service.send(SIGUSR1)

        let lines = service.lines(until: "ended before")

        // The kernel decides which of the first two comes first.
        #expect(Set(lines.suffix(3)) == ["tree ended signaled(9)", "tree gone", "ended before signaled(9)"])
        #expect(service.stop().status == 0)
    }

    @Test func programThatIsNotThereIsAnError() throws {
        let service = try fixture.startReady("ServiceProbe", ["start"])
        service.send(SIGUSR2)

        let line = service.lines(until: "/nowhere").last

        #expect(line == "unable to start '/nowhere': No such file or directory (ENOENT)")
        #expect(service.stop().status == 0)
    }
}
