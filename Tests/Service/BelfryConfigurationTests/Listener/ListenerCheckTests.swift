// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryConfiguration
import Foundation
import TestSupport
import Testing

struct ListenerCheckTests {
    private static let folder = "/etc/belfry/listeners.d"
    private let directory = try! TemporaryDirectory()  // Without it, no test can do anything.

    /// What is found in files of these contents, by the names of the listeners.
    private func check(_ files: [String: String], account: FileAccount? = nil) -> [String] {
        let named = files.map { ("\(Self.folder)/\($0.key).listener", "[Listener]\nOn=a\n\($0.value)") }
        let reader = MemoryFiles(Dictionary(uniqueKeysWithValues: named))
        return ListenerCheck(reader: reader) { _ in account }.diagnostics.map {
            String($0.description.dropFirst(Self.folder.utf8.count + 1))
        }
    }

    /// A program of this text and mode.
    private func program(_ text: String, _ mode: mode_t = 0o755) throws -> String {
        let path = try directory.write("program", text)
        chmod(path, mode)
        return path
    }

    @Test func allListenersAreCheckedAndTheFirstDirectoryWins() {
        let found = ListenerCheck(
            reader: MemoryFiles([
                "/etc/belfry/listeners.d/a.listener": "[Listener]\nOn=a\nExec=/bin/sh\n",
                "/usr/lib/belfry/listeners.d/a.listener": "wrong",
                "/usr/lib/belfry/listeners.d/b.listener": "[Listener]\nOn=a\n",
                "/usr/lib/belfry/listeners.d/README": "wrong",
            ])
        ).diagnostics

        #expect(
            found.map(\.description) == [
                "/usr/lib/belfry/listeners.d/b.listener:1:2: error: missing key 'Exec' in section [Listener]"
            ])
    }

    @Test(
        arguments: [
            ("#!/bin/sh\n", 0o755, nil), ("#! /bin/sh -e\n", 0o755, nil), ("\u{7F}ELF", 0o755, nil),
            ("#!/bin/sh\n", 0o644, "the program 'PATH' is not executable"),
            ("#!/none/sh\n", 0o755, "the interpreter of 'PATH', '/none/sh': No such file or directory (ENOENT)"),
            (
                "#!/usr/bin/env sh\r\n", 0o755,
                "the first line of 'PATH' ends in CR LF: the kernel takes the CR for a part of the interpreter's name"
            ),
        ] as [(String, mode_t, String?)])
    func programThatCannotRunIsReportedAtItsKey(text: String, mode: mode_t, problem: String?) throws {
        let path = try program(text, mode)

        let found = check(["x": "Exec=\(path)\n"])

        #expect(found == (problem.map { ["x.listener:3:1: error: " + $0.replacing("PATH", with: path)] } ?? []))
    }

    @Test func missingProgramsAreReported() {
        #expect(
            check(["x": "Exec=/none/x\n", "y": "Exec=belfry-none\n", "z": "Exec=sh\n"]) == [
                "x.listener:3:1: error: the program '/none/x': No such file or directory (ENOENT)",
                "y.listener:3:1: error: there is no program 'belfry-none' in $PATH",
            ])
    }

    @Test func programOfAnotherUserIsReported() throws {
        let path = try program("#!/bin/sh\n", 0o700)
        let user = FileAccount("user 'lamp' of x.service", uid: 4_000_000, groups: [])

        let found = check(["x": "Exec=\(path)\n"], account: user)

        #expect(found.count == 1 && found[0].hasPrefix("x.listener:3:1: error: user 'lamp' of x.service cannot "))
    }

    @Test func unknownNamesAndCirclesInTheOrderAreReported() {
        let run = "Exec=/bin/sh\nFollows="

        #expect(
            check(["a": run + "b logger\n", "b": run + "c\n", "c": run + "lamp\n", "d": run + "lamp\nSocket=/run/x\n"])
                == [
                    "c.listener:4:1: warning: there is no listener 'lamp' to follow, unless another program attaches"
                ])
        #expect(
            check(["a": run + "b\n", "b": run + "a\n"]) == [
                "a.listener:4:1: error: listeners follow each other in a circle: a -> b"
            ])
    }
}

struct FileAccountTests {
    /// Calls `body` with a file in a directory of its own: the user's directory for temporary files may be closed to others.
    private func withFile(_ mode: mode_t, directory directoryMode: mode_t, _ body: (String, String) throws -> Void)
        throws
    {
        let directory = "/tmp/belfry-\(UUID().uuidString)"
        try #require(mkdir(directory, 0o700) == 0)
        let path = directory + "/file"
        defer {
            unlink(path)
            rmdir(directory)
        }
        close(open(path, O_CREAT | O_WRONLY, 0o600))
        try #require(chmod(path, mode) == 0 && chmod(directory, directoryMode) == 0)
        try body(path, directory)
    }

    @Test(
        arguments: [
            (0o600, false, false), (0o640, true, false), (0o604, false, true), (0o644, true, true),
        ] as [(mode_t, Bool, Bool)])
    func ownerGroupAndOthersAreTold(mode: mode_t, group: Bool, others: Bool) throws {
        try withFile(mode, directory: 0o755) { path, _ in
            let isAllowed = { (uid: UInt32?, groups: Set<UInt32>) in
                FileAccount("x", uid: uid, groups: groups).problem(.read, path) == nil
            }

            #expect(isAllowed(4_000_000, [getgid()]) == group)
            #expect(isAllowed(4_000_000, []) == others && isAllowed(nil, []) == others)
            #expect(isAllowed(0, []))
        }
    }

    @Test func closedDirectoryIsNamed() throws {
        try withFile(0o644, directory: 0o700) { path, directory in
            let problem = FileAccount("user 'a' of b", uid: nil, groups: []).problem(.read, path)

            let what = "'\(directory)', of user \(getuid()) and group \(getgid()) with mode 0700"
            #expect(problem == "user 'a' of b cannot look into \(what)")
        }
    }

    @Test func theWayToWhatALinkLeadsToIsChecked() throws {
        try withFile(0o644, directory: 0o700) { path, directory in
            let link = directory + ".link"
            try #require(symlink(path, link) == 0)
            defer { unlink(link) }

            let problem = FileAccount("user 'a' of b", uid: nil, groups: []).problem(.read, link)

            #expect(problem?.hasPrefix("user 'a' of b cannot look into '\(directory)'") == true)
        }
    }
}
