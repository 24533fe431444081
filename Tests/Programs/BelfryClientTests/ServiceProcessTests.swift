// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Foundation
import TestSupport
import Testing

@testable import BelfryClient

struct ServiceProcessTests {
    private let directory: TemporaryDirectory
    private var folder: URL { directory.url }

    init() throws { directory = try TemporaryDirectory() }

    private func find(_ pid: Int32, after predecessor: ServiceProcess? = nil) -> ServiceProcess? {
        ServiceProcess(
            pid: pid, after: predecessor, proc: folder.path, controlGroups: folder.appendingPathComponent("cg").path,
            units: folder.appendingPathComponent("units").path)
    }

    @Test func controlGroupShowsWhetherTheUnitRunsAgain() throws {
        try directory.write("12/cgroup", "0::/system.slice/belfryd.service\n")
        let list = "cg/system.slice/belfryd.service/cgroup.procs"
        try directory.write(list, "12\n13\n")
        let process = try #require(find(12))

        #expect(process.status == .running)
        try directory.write(list, "")
        #expect(process.status == .stopped)
        try directory.write(list, "112\n")
        #expect(process.status == .replaced)
        try FileManager.default.removeItem(at: folder.appendingPathComponent("cg"))
        #expect(process.status == .stopped)
    }

    @Test func processOfExecStopPostIsNoReplacement() throws {
        func begin(_ run: String) throws {
            let link = folder.appendingPathComponent("units/invocation:belfryd.service").path
            try? FileManager.default.removeItem(atPath: link)
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: run)
        }
        try directory.write("12/cgroup", "0::/system.slice/belfryd.service\n")
        try directory.write("units/unit-log-level:other.service", "")
        let list = "cg/system.slice/belfryd.service/cgroup.procs"
        try directory.write(list, "12\n")
        try begin("0a")
        let process = try #require(find(12))

        try directory.write(list, "13\n")
        #expect(process.status == .stopped)
        try begin("0b")
        #expect(process.status == .replaced)
    }

    @Test func endedProcessBelongsToTheUnitOfItsPredecessor() throws {
        try directory.write("12/cgroup", "0::/system.slice/belfryd.service\n")
        try directory.write("cg/system.slice/belfryd.service/cgroup.procs", "")
        let first = try #require(find(12))

        #expect(find(14, after: first)?.status == .stopped)
        #expect(find(14) == nil)
    }

    @Test func processOutsideAServiceUnitIsIgnored() throws {
        try directory.write("12/cgroup", "0::/user.slice/session-3.scope\n")
        try directory.write("13/cgroup", "0::/system.slice/hidden.service\n")

        for pid in [Int32(12), 13, 14, 0] { #expect(find(pid) == nil) }
    }
}
