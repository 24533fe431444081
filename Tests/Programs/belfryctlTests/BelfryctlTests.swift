// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import ArgumentParser
import Testing

@testable import belfryctl

struct BelfryctlTests {
    @Test(arguments: [["history", "-n1", "--on", "willTerminate"], ["history", "-n", "1", "--on", "willTerminate"]])
    func numberMayBePartOfTheOption(arguments: [String]) throws {
        let history = try Belfryctl.parseAsRoot(arguments) as? HistoryCommand

        #expect(history?.lines == 1 && history?.names == ["willTerminate"])
    }

    @Test(arguments: ["pause", "resume", "reload", "status", "is-active", "listeners", "history", "watch", "flush"])
    func serviceIsTheArgument(command: String) throws {
        func path(_ arguments: String...) throws -> String? {
            let parsed = try Belfryctl.parseAsRoot([command] + arguments) as? any ServiceCommand
            return parsed?.connection.path(environment: ["BELFRY_SOCKET": "/x", "RUNTIME_DIRECTORY": "/y"])
        }

        #expect(try path() == "/x")
        #expect(try path("no-such-video")?.hasSuffix("/belfry@no-such-video/io.belfry.Lifecycle") == true)
        #expect(try path("belfryd@no-such-video") == path("no-such-video"))
        #expect(try path("belfryd@no-such-video") == path("-i", "no-such-video"))
        // That one without an instance, whatever the environment says.
        #expect(try path("belfryd").map { $0 != "/x" && $0 != "/y" && !$0.contains("@") } == true)
        #expect(throws: (any Error).self) { try path("a/b") }
        #expect(throws: (any Error).self) { try path("a", "-i", "b") }
        #expect(throws: (any Error).self) { try path("a", "b") }
    }

    @Test(arguments: [
        ("stop", "TERM"), ("pause", "TSTP"), ("resume", "CONT"), ("reload", "HUP"), ("STOP", "STOP"),
        ("SIGSTOP", "STOP"), ("USR1", "USR1"),
    ])
    func explainedVerbIsItsSignal(word: String, signal: String) throws {
        #expect((try Belfryctl.parseAsRoot(["explain", word]) as? ExplainCommand)?.signal == signal)
    }

    @Test(arguments: [["-i", "video", "history"], ["history", "-i", "video"], ["history", "--instance=video"]])
    func instanceMayPrecedeOrFollowTheCommand(arguments: [String]) throws {
        let history = try Belfryctl.parseAsRoot(arguments) as? HistoryCommand

        #expect(history?.connection.instance == "video")
        #expect(
            history?.connection.path(environment: ["BELFRY_SOCKET": "/x"]).hasSuffix(
                "/belfry@video/io.belfry.Lifecycle") == true)
    }
}
