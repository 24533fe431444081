// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryConfiguration
import Foundation
import TestSupport
import Testing

struct ApplicationCheckTests {
    @Test func theUsersOfBothUnitsMustBeAbleToReadTheFile() throws {
        let directory = try TemporaryDirectory()
        let text = "[Application]\nUnit=a.service\nUser=root\n[On]\nStop=/bin/sh\n"
        let path = try directory.write("root/etc/belfry/applications/x.conf", text)
        try #require(chmod(path, 0o600) == 0)

        var asked: [String] = []
        let check = ApplicationCheck("x", in: .system(root: directory.path("root"))) { unit, user in
            asked.append("\(unit) \(user ?? "-")")
            return FileAccount("user 'lamp' of \(unit)", uid: 4_000_000, groups: [])
        }

        #expect(asked == ["belfry-listener@x.service root", "belfryd@x.service -"])
        let found = check.diagnostics.map(\.description).sorted()
        #expect(found.count == 2)
        for (problem, unit) in zip(found, ["belfry-listener", "belfryd"]) {
            #expect(problem.hasPrefix("\(path):2:1: error: user 'lamp' of \(unit)@x.service cannot "))
        }
    }

    /// The unit of the commands may have other mounts, and it has another `$PATH`.
    @Test func aProgramThatIsNotHereIsAWarningAndANameWithoutADirectoryIsNotJudged() throws {
        let directory = try TemporaryDirectory()
        let text = "[Application]\nUnit=a.service\n[On]\nStop=/none/x\nPause=belfry-none\nHealth=/none/y\n"
        let path = try directory.write("root/etc/belfry/applications/x.conf", text)

        let check = ApplicationCheck("x", in: .system(root: directory.path("root")))

        let reason = "No such file or directory (ENOENT)"
        #expect(
            check.diagnostics.map(\.description) == [
                "\(path):4:1: warning: the program '/none/x': \(reason)",
                "\(path):6:1: warning: the program '/none/y': \(reason)",
            ])
        #expect(check.applications.map(\.name) == ["x"])
    }

    @Test func aUserNeedsAnEntryAlsoAsANumber() throws {
        let directory = try TemporaryDirectory()
        for (user, isThere) in [("0", true), ("root", true), ("3999999999", false), ("belfry-none", false)] {
            let text = "[Application]\nUnit=a.service\nUser=\(user)\n[On]\nStop=/bin/sh\n"
            let path = try directory.write("root/etc/belfry/applications/x.conf", text)

            let found = ApplicationCheck("x", in: .system(root: directory.path("root"))).diagnostics.map(\.description)

            #expect(found == (isThere ? [] : ["\(path):3:1: error: there is no user '\(user)'"]))
        }
    }

    @Test func thisProcessKnowsItsOwnRights() throws {
        let directory = try TemporaryDirectory()
        let path = try directory.write("program", "#!/bin/sh\n")

        try #require(chmod(path, 0o755) == 0)
        #expect(ProgramFile.ownProblem(path) == nil && ProgramFile.ownProblem("sh") == nil)
        #expect(ProgramFile.ownProblem("belfry-none") == "there is no program 'belfry-none' in $PATH")
        try #require(chmod(path, 0o644) == 0)
        #expect(ProgramFile.ownProblem(path) == "the program '\(path)' is not executable")
    }
}
