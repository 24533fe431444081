// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Foundation
import TestSupport
import Testing

/// The workers in Swift of docs/compare.md do the same task.
@Suite(.timeLimit(.minutes(1)))
struct ComparisonTests {
    let fixture: DaemonFixture

    init() throws {
        fixture = DaemonFixture()
        try fixture.directory.write("quality", "80\n")
        try fixture.directory.write("jobs/first", "")
    }

    private func start(_ program: String) throws -> ProbeProcess {
        let worker = try fixture.start(program, [], environment: ["WORK": fixture.directory.url.path])
        try wait(for: "first: quality 80")
        return worker
    }

    private var log: [Substring] {
        ((try? String(contentsOf: fixture.directory.url.appending(path: "log"), encoding: .utf8)) ?? "")
            .split(separator: "\n")
    }

    private func wait(for line: String) throws { try waitUntil("'\(line)'") { log.contains { $0 == line } } }

    private func waitUntil(_ what: String, _ question: () throws -> Bool) throws {
        for _ in 0..<3_000 {
            if try question() { return }
            Thread.sleep(forTimeInterval: 0.01)
        }
        Issue.record("no \(what), but \(log)")
    }

    /// Stops the worker in the middle of a job, while another one waits.
    private func stopInAJob(_ worker: ProbeProcess) throws -> Int32 {
        let jobs = fixture.directory.path("jobs")
        try fixture.directory.write("jobs/second", "")
        try waitUntil("second job") { try FileManager.default.contentsOfDirectory(atPath: jobs).isEmpty }
        worker.send(SIGTERM)
        let status = worker.finish().status
        #expect(log.contains("second: quality 80"))
        return status
    }

    @Test func listenerDrainsChecksFlushesAndTellsWhy() throws {
        let worker = try start("ListenerWorker")

        try fixture.directory.write("quality", "800\n")
        #expect(try fixture.control(["reload"]).status == 78)
        #expect(try fixture.control(["simulate", "didReceiveMemoryWarning"]).status == 0)

        #expect(try stopInAJob(worker) == 0)
        #expect(log.contains("flushed"))
        #expect(log.last == "stopped: signal")
    }

    @Test func serviceGroupDrainsChecksAndFlushesAtASignal() throws {
        let worker = try start("ServiceGroupWorker")
        let signals: UInt64 = 1 << (SIGHUP - 1) | 1 << (SIGUSR1 - 1)
        try waitUntil("handlers") { try worker.handledSignals() & signals == signals }

        try fixture.directory.write("quality", "800\n")
        worker.send(SIGHUP)
        try wait(for: "reload refused: quality is not 1 to 99")
        worker.send(SIGUSR1)
        try wait(for: "flushed")

        #expect(try stopInAJob(worker) == 0)
        #expect(log.last == "stopped")
    }
}
