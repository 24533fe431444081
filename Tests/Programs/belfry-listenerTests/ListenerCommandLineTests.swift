// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

@testable import belfry_listener
import BelfryConfiguration
import Testing

struct ListenerCommandLineTests {
    private func mode(_ arguments: String...) throws -> ListenerCommandLine.Mode {
        try ListenerCommandLine(arguments).mode
    }

    @Test func aNameAloneIsThatOfAFile() throws {
        guard case .file("backup") = try mode("backup") else {
            Issue.record("no file")
            return
        }
    }

    @Test func aCommandIsTakenAsItIs() throws {
        let arguments = [
            "x", "--socket=@s", "--on", "a", "--on", "b", "--timeout", "2s", "--follows", "c", "--run-on-start",
            "--", "sh", "-c", "echo $HOME %i ;",
        ]
        guard case .command(let settings) = try ListenerCommandLine(arguments).mode else {
            Issue.record("no command")
            return
        }

        let command = try ExecCommand(words: ["sh", "-c", "echo $HOME %i ;"])
        let expected = ListenerSettings(
            name: "x", on: ["a", "b"], commands: .program(command), timeout: .seconds(2), follows: ["c"], socket: "@s",
            runsOnStart: true)
        #expect(settings == expected)
        #expect(command.arguments(with: ["HOME": "/"]) == ["-c", "echo $HOME %i ;"])
    }

    @Test(arguments: [
        ([], "missing name"), (["x", "y"], "unknown argument 'y'"), (["x", "--onn"], "unknown argument '--onn'"),
        (["x", "--on", "a"], "missing command"), (["x", "--run-on-start", "--", "a"], "missing '--on'"),
        (["x", "--socket", "/run/y"], "missing '--on'"),
        (["x", "--on"], "missing value for '--on'"),
        (["x", "--on", "a", "--timeout", "infinity", "--", "a"], ""),
        (["x", "--on", "a", "--timeout", "0", "--", "a"], ""),
    ])
    func wrongArgumentsAreNamed(arguments: [String], message: String) {
        let problem = #expect(throws: ValueProblem.self) { try ListenerCommandLine(arguments) }

        #expect(problem?.message.hasPrefix(message) == true, "\(problem?.message ?? "")")
    }
}
