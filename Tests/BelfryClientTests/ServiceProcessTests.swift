// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Foundation
import Testing

@testable import BelfryClient

struct ServiceProcessTests {
    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("proc-\(UUID().uuidString)")

    private func write(_ text: String, to path: String) throws {
        let file = folder.appendingPathComponent(path)
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try text.write(to: file, atomically: true, encoding: .utf8)
    }

    private func find(_ pid: Int32, after predecessor: ServiceProcess? = nil) -> ServiceProcess? {
        ServiceProcess(
            pid: pid, after: predecessor, proc: folder.path, controlGroups: folder.appendingPathComponent("cg").path,
            units: folder.appendingPathComponent("units").path)
    }

    @Test func controlGroupShowsWhetherTheUnitRunsAgain() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try write("0::/system.slice/belfryd.service\n", to: "12/cgroup")
        let list = "cg/system.slice/belfryd.service/cgroup.procs"
        try write("12\n13\n", to: list)
        let process = try #require(find(12))

        #expect(process.status == .running)
        try write("", to: list)
        #expect(process.status == .stopped)
        try write("112\n", to: list)
        #expect(process.status == .replaced)
        try FileManager.default.removeItem(at: folder.appendingPathComponent("cg"))
        #expect(process.status == .stopped)
    }

    @Test func processOfExecStopPostIsNoReplacement() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        func begin(_ run: String) throws {
            let link = folder.appendingPathComponent("units/invocation:belfryd.service").path
            try? FileManager.default.removeItem(atPath: link)
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: run)
        }
        try write("0::/system.slice/belfryd.service\n", to: "12/cgroup")
        try write("", to: "units/unit-log-level:other.service")
        let list = "cg/system.slice/belfryd.service/cgroup.procs"
        try write("12\n", to: list)
        try begin("0a")
        let process = try #require(find(12))

        try write("13\n", to: list)
        #expect(process.status == .stopped)
        try begin("0b")
        #expect(process.status == .replaced)
    }

    @Test func endedProcessBelongsToTheUnitOfItsPredecessor() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try write("0::/system.slice/belfryd.service\n", to: "12/cgroup")
        try write("", to: "cg/system.slice/belfryd.service/cgroup.procs")
        let first = try #require(find(12))

        #expect(find(14, after: first)?.status == .stopped)
        #expect(find(14) == nil)
    }

    @Test func processOutsideAServiceUnitIsIgnored() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try write("0::/user.slice/session-3.scope\n", to: "12/cgroup")
        try write("0::/system.slice/hidden.service\n", to: "13/cgroup")

        for pid in [Int32(12), 13, 14, 0] { #expect(find(pid) == nil) }
    }
}
