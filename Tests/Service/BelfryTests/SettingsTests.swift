// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Foundation
import TestSupport
import Testing

/// Settings of a service's own, through a real process.
@Suite(.timeLimit(.minutes(2)))
struct SettingsTests {
    let fixture = DaemonFixture()

    private var file: String { fixture.directory.path("belfry.conf") }

    private func start(_ configuration: String, _ arguments: [String] = []) throws -> ProbeProcess {
        try fixture.start("SettingsProbe", arguments + ["--config"], configuration)
    }

    /// Writes a configuration, reloads, and returns what the listener of the service printed.
    private func reload(_ service: ProbeProcess, _ configuration: String) throws -> [String] {
        try fixture.directory.write("belfry.conf", configuration)
        service.send(SIGHUP)
        service.send(SIGUSR2)
        return service.lines(until: "statusRequested: ").filter { $0.contains("in effect") }
    }

    @Test func reloadReplacesTheSettingsAfterEveryListenerHasAccepted() throws {
        let service = try start("[Thumbd]\nSizeMax=1K\n")
        #expect(service.lines(until: "didBecomeActive: ").last == "didBecomeActive: 1024, in effect 1024")

        let lines = try reload(service, "[Thumbd]\nSizeMax=2K\n")

        #expect(
            lines == [
                "willReload: 2048, in effect 1024", "didReload: 2048, in effect 1024",
                "statusRequested: 2048, in effect 2048",
            ])
        #expect(service.stop().status == 0)
    }

    @Test func refusedReloadKeepsTheOldSettings() throws {
        let service = try start("[Thumbd]\nSizeMax=1\n")
        service.lines(until: "didBecomeActive: ")

        let refusedBefore = try reload(service, "[Thumbd]\nSizeMax=13\n")
        let refusedAfter = try reload(service, "[Thumbd]\nSizeMax=14\n")
        let invalid = try reload(service, "[Thumbd]\nSizeMx=2\n")

        let old = ["didFailToReload: 1, in effect 1", "statusRequested: 1, in effect 1"]
        #expect(refusedBefore == ["willReload: 13, in effect 1"] + old)
        #expect(refusedAfter == ["willReload: 14, in effect 1", "didReload: 14, in effect 1"] + old)
        #expect(invalid == ["willReload: 1, in effect 1"] + old)
        #expect(service.stop().status == 0)
    }

    @Test(arguments: ["--check-config", "--print-config", "run"])
    func problemsOfAllSectionsAreReportedAtOnce(mode: String) throws {
        let prefix = mode == "run" ? "thumbd: " : ""
        func problems(_ section: String) throws -> [String] {
            let text = "[Logger]\nLevl=err\n[Thumbd]\nSizeMax=1\n\(section)\n"
            let (lines, status) = try start(text, mode == "run" ? [] : [mode]).finish()
            #expect(status == 78)
            return lines
        }

        let level = "\(prefix)\(file):2:1: error: unknown key 'Levl' in section [Logger], did you mean 'Level'?"
        #expect(
            try problems("Formats=webp") == [
                level, "\(prefix)\(file):5:1: error: unknown key 'Formats' in section [Thumbd], did you mean 'Format'?",
            ])
        #expect(
            try problems("[Sockt]") == [
                level, "\(prefix)\(file):5:2: error: unknown section [Sockt], did you mean '[Socket]'?",
            ])
    }

    @Test func printedConfigurationHasTheSettings() throws {
        let path = try fixture.directory.write("a.conf", "[Thumbd]\nsizeMax=1K\nFolders=/a\nFolders=/b\n")

        let (lines, status) = try ProbeProcess("SettingsProbe", ["--print-config", "--config", path]).finish()

        let text = lines.joined(separator: "\n")
        #expect(status == 0)
        #expect(text.contains("[Service]\n"))
        #expect(
            text.hasSuffix(
                """
                [Thumbd]
                # \(path):2
                sizeMax=1K
                # not set
                #Timeout=
                # not set
                #Format=
                # \(path):3
                Folders=/a
                # \(path):4
                Folders=/b
                """))
    }

    @Test func statusHasTheVersionOfTheService() throws {
        let service = try start("[Thumbd]\nSizeMax=1\n")
        service.lines(until: "didBecomeActive: ")

        let status = try fixture.control(["status"])
        let version = try ProbeProcess("SettingsProbe", ["--version"]).finish()

        #expect(status.lines.contains { $0.contains("thumbd") && $0.contains("2.5") })
        #expect(version.lines == ["thumbd 2.5"] && version.status == 0)
        #expect(service.stop().status == 0)
    }

    @Test func filesHaveTheNameOfTheService() throws {
        let help = try ProbeProcess("SettingsProbe", ["--help"]).finish()
        let service = try start("[Thumbd]\nSizeMax=1\n", ["--socket", "@thumbd-\(getpid())"])
        service.lines(until: "didBecomeActive: ")

        #expect(help.lines.first == "Makes thumbnails.")
        #expect(help.lines.contains { $0.contains("/etc/thumbd") })
        #expect(service.stop().status == 0)
    }
}
