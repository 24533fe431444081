// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryConfiguration
import Testing

struct ListenerSettingsTests {
    private static let folder = "/etc/belfry/listeners.d"

    private func file(_ text: String, _ others: [String: String] = [:]) -> ListenerFile {
        ListenerFile(
            "backup", reader: MemoryFiles(others.merging(["\(Self.folder)/backup.listener": text]) { $1 }))
    }

    @Test func everyKeyIsRead() throws {
        let settings = try #require(
            file(
                """
                [Listener]
                On=willReload
                On=didReload com.example.x
                Exec=/bin/echo %i
                Timeout=1min
                Follows=logger socket
                Socket=/run/x/y
                RunOnStart=yes
                Health=/bin/true
                HealthInterval=5s
                [X-Mine]
                A=b
                """
            ).settings)

        #expect(
            settings
                == ListenerSettings(
                    name: "backup", on: ["willReload", "didReload", "com.example.x"],
                    commands: .program(try ExecCommand("/bin/echo %i", instance: "backup")), timeout: .seconds(60),
                    follows: ["logger", "socket"], socket: "/run/x/y", runsOnStart: true, health: settings.health))
        #expect(settings.health?.command.program == "/bin/true" && settings.health?.schedule.interval == .seconds(5))
    }

    @Test func defaultsAreThoseOfTheDocumentation() throws {
        let settings = try #require(file("[Listener]\nOn=a\nExec=b\n").settings)

        #expect(settings.timeout == .seconds(10))
        #expect(settings.socket == "/run/belfry/io.belfry.Lifecycle")
        #expect(!settings.runsOnStart && settings.follows.isEmpty && settings.health == nil)
    }

    @Test(arguments: [
        "": "1:1: error: missing section [Listener]",
        "[Listener]\nOn=a\n": "1:2: error: missing key 'Exec' in section [Listener]",
        "[Listener]\nExec=a\n": "1:2: error: missing key 'On' in section [Listener]",
        "[Listener]\nOn=a\nOn=\nExec=a\n": "1:2: error: missing key 'On' in section [Listener]",
        "[Listenr]\n": "1:2: error: unknown section [Listenr], did you mean '[Listener]'?",
        "[Service]\n": "1:2: error: unknown section [Service]",
        "[Listener]\nOn=a\nExec=b\nTimout=3":
            "4:1: error: unknown key 'Timout' in section [Listener], did you mean 'Timeout'?",
        "[Listener]\nOn=a\nExec=b\nUser=c":
            "4:1: error: unknown key 'User' in section [Listener], it belongs to the unit: 'systemctl edit'",
        "[Listener]\nOn=a\nExec=b ; c":
            "3:8: error: invalid value of 'Exec': only one command is allowed; write '\\;' for an argument ';'",
        "[Listener]\nOn=a\nExec=b\nTimeout=infinity":
            "4:9: error: invalid value of 'Timeout': expected a time span from 1ms to 1d",
    ])
    func errorsHaveTheirPlace(text: String, message: String) {
        let file = file(text)

        #expect(file.settings == nil)
        #expect(file.file.diagnostics.map(\.description) == ["\(Self.folder)/backup.listener:\(message)"])
    }

    @Test func aMisspeltNotificationIsAWarning() {
        let file = file("[Listener]\nOn=wilReload\nExec=b\n")

        #expect(file.settings != nil)
        #expect(
            file.file.diagnostics.map(\.description) == [
                "\(Self.folder)/backup.listener:2:4: warning: no notification of Belfry's is named 'wilReload', did you mean 'willReload'?"
            ])
    }

    @Test func dropInsChangeSingleKeys() throws {
        let more = ["/run/belfry/listeners.d/backup.listener.d/a.conf": "[Listener]\nTimeout=3s\n"]

        #expect(try #require(file("[Listener]\nOn=a\nExec=b\n", more).settings).timeout == .seconds(3))
    }

    @Test func aMissingFileAndAWrongNameAreErrors() {
        let missing = ListenerFile("backup", reader: MemoryFiles([:]))
        let wrong = ListenerFile("../x", reader: MemoryFiles([:]))

        #expect(missing.file.diagnostics.map(\.message) == ["there is no such file"])
        #expect(
            wrong.file.diagnostics.map(\.message) == [
                "invalid name '../x', expected a letter, then letters, digits, '.' and '-'"
            ])
    }
}
