// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Foundation
import Lifecycle
import BelfryListeners
import LifecycleTesting
import BelfrySystemd
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct RunFilesTests {
    let directory = try! TemporaryDirectory()  // Without it, no test can do anything.
    let writer = RecordingWriter()
    private let run = ServiceRun(bootID: "b", invocationID: "one", pid: 4, startRealtime: .microseconds(9))

    private func files(_ service: String = "mine") -> RunFiles {
        RunFiles(directory: directory.url.path, service: service)
    }

    private func text(_ name: String) throws -> String {
        try String(contentsOfFile: directory.path(name), encoding: .utf8)
    }

    @Test(arguments: ["fifo", "directory", "link", "device"])
    func specialFileIsRefusedWithoutBlocking(kind: String) throws {
        let path = directory.path("last-word")
        switch kind {
        case "fifo": #expect(mkfifo(path, 0o600) == 0)
        case "directory": #expect(mkdir(path, 0o700) == 0)
        case "link": #expect(symlink("/dev/zero", path) == 0)
        default:
            // Only root may create a device; a link to /dev/null has the same effect.
            guard mknod(path, S_IFCHR | 0o600, 0x105) == 0 else { return }
        }
        var problems: [String] = []

        let found = files().read(problems: &problems)

        #expect(found == .refused && problems.count == 1)
        #expect(problems.allSatisfy { $0.hasPrefix("unable to ") && $0.contains("'\(path)'") })
    }

    @Test func fifoInPlaceOfTheExitIsIgnored() throws {
        try files().write(run)
        #expect(mkfifo(directory.path("last-exit"), 0o600) == 0)
        var problems: [String] = []

        #expect(files().read(problems: &problems) == .run(run))

        #expect(problems.count == 1)
    }

    @Test(arguments: ["fifo", "link", "hardLink"])
    func existingTemporaryFileIsReplacedAndNotWrittenTo(kind: String) throws {
        let new = directory.path("last-word.new")
        try directory.write("precious", "precious")
        switch kind {
        case "fifo": #expect(mkfifo(new, 0o600) == 0)
        case "link": #expect(symlink(directory.path("precious"), new) == 0)
        default: #expect(link(directory.path("precious"), new) == 0)
        }

        try files().write(run)

        var problems: [String] = []
        #expect(files().read(problems: &problems) == .run(run) && problems.isEmpty)
        #expect(try text("precious") == "precious")
    }

    @Test func directoryInPlaceOfTheTemporaryFileIsAnError() throws {
        #expect(mkdir(directory.path("last-word.new"), 0o700) == 0)

        #expect(throws: (any Error).self) { try files().write(run) }
    }

    @Test func failedWriteLeavesNoTemporaryFile() throws {
        // A file cannot replace a directory.
        #expect(mkdir(directory.path("last-word"), 0o700) == 0)

        #expect(throws: (any Error).self) { try files().write(run) }

        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.url.path) == ["last-word"])
    }

    @Test func stateOfAnotherServiceIsNeitherReadNorOverwritten() throws {
        let mediator = LifecycleMediator(clock: ManualClock())
        try files("theirs\n").write(run)
        let before = try text("last-word")

        let store = ExitRecordStore(
            mediator: mediator, run: run, files: files(), log: ServiceLog { [writer] _ in writer })
        mediator.perform(.launch)
        mediator.perform(.stop)

        #expect(store.launchCause == nil && store.previousRun == nil && store.foreign != nil)
        #expect(try text("last-word") == before)
        let message =
            "unable to use '\(directory.url.path)': it belongs to the service 'theirs\\n', set StateDirectory=, "
            + "keeping nothing"
        #expect(writer.records.map(\.message.description) == [message])
        #expect(throws: ForeignFile.self) { try files().checkOwner() }
        try files("theirs\n").checkOwner()
    }

    @Test func namesOfServicesAreComparedAsBytes() throws {
        try files("caf\u{e9}").write(run)

        #expect(throws: ForeignFile.self) { try files("cafe\u{301}").checkOwner() }
    }

    @Test func recordWithoutAServiceIsAccepted() throws {
        try files("mine").write(run)
        let old = try text("last-word").replacing(#","service":"mine""#, with: "")
        #expect(!old.contains("service"))
        try directory.write("last-word", old)
        var problems: [String] = []

        #expect(files().read(problems: &problems) == .run(run) && problems.isEmpty)
    }
}
