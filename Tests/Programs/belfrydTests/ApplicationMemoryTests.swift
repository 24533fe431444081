// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryEventLoop
import BelfryLinux
import Foundation
import Glibc
import Lifecycle
import TestSupport
import Testing

@testable import belfryd

struct ApplicationMemoryTests {
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

    /// It is not there yet, it is gone and there again, it is another one.
    @Test(.timeLimit(.minutes(1)))
    func watchOutlivesWhatItReads() throws {
        let loop = try MainEventLoop()
        let directory = try TemporaryDirectory()
        let group = directory.path("group")
        var levels: [MemoryWarning.Level] = []
        let watch = ApplicationMemory(of: "/group", below: directory.url.path, every: .zero, on: loop) {
            levels.append($0)
        }
        func look(at stalls: (some: UInt64, full: UInt64)?) throws {
            try? FileManager.default.removeItem(atPath: group)
            if let stalls {
                try FileManager.default.createDirectory(atPath: group, withIntermediateDirectories: true)
                try directory.write("group/memory.pressure", "some total=\(stalls.some)\nfull total=\(stalls.full)\n")
            }
            try loop.turnWithoutWaiting()
        }

        try look(at: nil)
        try look(at: (900_000, 900_000))
        try look(at: (0, 0))
        #expect(levels == [])
        try look(at: (200_000, 0))
        try look(at: nil)
        try look(at: (900_000, 900_000))
        try look(at: (900_000, 1_100_000))

        #expect(levels == [.some, .full])
        withExtendedLifetime(watch) {}
    }

    @Test(.timeLimit(.minutes(1)))
    func withoutAFileThereIsAProblemUntilThereIsOne() throws {
        let loop = try MainEventLoop()
        let directory = try TemporaryDirectory()
        let watch = ApplicationMemory(of: "/group", below: directory.url.path, every: .zero, on: loop) { _ in }
        var seen: [Int32?] = []
        watch.onProblem = { seen.append(watch.problem?.code) }
        #expect(watch.problem?.code == ENOENT)

        try loop.turnWithoutWaiting()
        #expect(seen == [])
        try directory.write("group/memory.pressure", "some total=0\nfull total=0\n")
        try loop.turnWithoutWaiting()
        try FileManager.default.removeItem(atPath: directory.path("group"))
        try loop.turnWithoutWaiting()

        #expect(seen == [nil, ENOENT])
        watch.onProblem = {}
    }
}
