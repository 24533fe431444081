// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryEventLoop
import BelfryLinux
@testable import BelfrySources
import Lifecycle
import Testing

struct MemoryStallsTests {
    private func stalls(_ some: UInt64, _ full: UInt64) -> MemoryStalls {
        MemoryStalls(
            "some avg10=0.00 avg60=0.00 avg300=0.00 total=\(some)\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=\(full)\n"
        )
    }

    @Test(arguments: [
        (199_999 as UInt64, 0 as UInt64, nil), (200_000, 0, MemoryWarning.Level.some), (500_000, 199_999, .some),
        (500_000, 200_000, .full),
    ])
    func theTimeThatTasksHaveWaitedIsCompared(some: UInt64, full: UInt64, level: MemoryWarning.Level?) {
        #expect(stalls(1000 + some, 500 + full).level(since: stalls(1000, 500), limit: 200_000) == level)
    }

    @Test(arguments: ["", "some\n", "some total=x\n", "some total=\n", "other total=99999999\n", "full total=-1\n"])
    func otherTextIsNoTime(text: String) {
        #expect(MemoryStalls(text) == stalls(0, 0))
    }

    @Test func aGroupThatStartsAgainIsNoPressure() {
        #expect(stalls(0, 0).level(since: stalls(900_000, 900_000), limit: 200_000) == nil)
    }

    @Test func aGroupThatIsNotThereIsAnError() throws {
        let loop = try MainEventLoop()

        #expect(throws: SystemError.self) { try MemoryWatch(of: "/not.there", on: loop) { _ in } }
    }
}
