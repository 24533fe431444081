// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryLinux
import Foundation
import TestSupport
import Testing

@testable import belfry_listener

/// Plain directories stand in for control groups: the kernel makes the files of a group, so none gets a process.
@MainActor struct RunControlGroupTests {
    private let unit = try! TemporaryDirectory()  // Without it, no test can do anything.

    /// Makes a group, and returns what is written to have it killed.
    private func group(_ name: String) throws -> () throws -> String {
        try FileManager.default.createDirectory(atPath: unit.path(name), withIntermediateDirectories: false)
        let file = try unit.write("\(name)/cgroup.kill", "")
        return { try KernelFile.text(file) }
    }

    private func unexpected(_ error: SystemError) { Issue.record(error) }

    @Test func onlyGroupsThatHaveComeSinceAreEnded() throws {
        let (other, control, made) = (try group("other"), try group(".control"), try group("made"))
        let groups = RunControlGroups(below: unit.url.path, beside: ["other"], onProblem: unexpected)

        #expect(throws: SystemError.self) { _ = try groups.make() }

        #expect(try [other(), control(), made()] == ["", "", "1"])
    }

    @Test func aGroupThatCannotBeEndedIsTold() throws {
        let file = unit.path("made/cgroup.kill")
        try FileManager.default.createDirectory(atPath: file, withIntermediateDirectories: true)
        var problems: [String] = []
        let groups = RunControlGroups(below: unit.url.path, beside: []) { problems.append("\($0)") }

        #expect(throws: SystemError.self) { _ = try groups.make() }

        #expect(problems == ["unable to open '\(unit.url.path)/…/cgroup.kill': Is a directory (EISDIR)"])
    }

    @Test func aGroupOfAnotherIsNoRun() throws {
        let other = try group("run-1")
        let groups = RunControlGroups(below: unit.url.path, beside: ["run-1"], onProblem: unexpected)

        let error = #expect(throws: SystemError.self) { _ = try groups.make() }

        #expect(error?.object.hasSuffix("run-2/cgroup.procs") == true)
        #expect(try other() == "")
    }
}
