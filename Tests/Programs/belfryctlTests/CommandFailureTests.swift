// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Foundation
import TestSupport
import Testing

/// Commands that fail.
@Suite(.timeLimit(.minutes(2)))
struct CommandFailureTests {
    @Test(
        arguments: [
            (["post", "org.example.forbidden"], 77, "unable to post 'org.example.forbidden': permission denied"),
            (["post", "org.example.late"], 69, "unable to post 'org.example.late': the service is stopping"),
            (["post", "willTerminate"], 64, "unable to post 'willTerminate': it is invalid"),
            (["post", "1st"], 64, "Error: invalid notification name '1st'"),
            (["post", "a", "b"], 64, "Error: expected key="),
            (["history"], 64, "the unit of the service at '"),
            (["status", "x"], 64, "Error: 'x' and an option both name the service, use one of them"),
            (["hold", "--reason", "x", "--for", "0"], 64, "Error: --for must be more than 0"),
        ] as [([String], Int32, String)])
    func failuresHaveTheirMessageAndExitStatus(_ arguments: [String], _ status: Int32, _ message: String) throws {
        let standIn = try StandIn()

        let done = try ChildProgram("belfryctl", ["--socket", standIn.socket] + arguments).end()

        #expect(done.status == status)
        #expect(done.errors.hasPrefix(message), "\(done.errors)")
        #expect(done.output.isEmpty)
    }

    @Test(arguments: [
        (["sttaus"], "Unexpected argument 'sttaus'", ""),
        (["--instnace", "video", "status"], "Unknown option '--instnace'. Did you mean '--instance'?", ""),
        (["status", "--jsn"], "Unknown option '--jsn'. Did you mean '--json'?", " status"),
        (["explain"], "Missing expected argument '<signal>'", " explain"),
        (["status", "x", "now"], "Unexpected argument 'now'", " status"),
    ])
    func usageErrorsNameTheArgumentAndTheHelp(_ arguments: [String], _ message: String, _ help: String) throws {
        let done = try ChildProgram("belfryctl", arguments).end()

        #expect(done.status == 64 && done.output.isEmpty)
        #expect(done.errors.hasPrefix("Error: \(message)\n"), "\(done.errors)")
        #expect(done.errors.contains("See 'belfryctl\(help) --help'"), "\(done.errors)")
    }

    @Test func attachedProgramChecksTheArguments() throws {
        let done = try ChildProgram("belfryctl", ["attach", "a b", "--on", "x", "--", "z"]).end()

        #expect(done.status == 64)
        #expect(done.errors.hasPrefix("belfry-listener: invalid ") && done.errors.contains("'a b'"), "\(done.errors)")
    }

    @Test(arguments: [(["watch", "--after", "-1"], "after"), (["status", "--timeout", "5q"], "5q")])
    func invalidValuesAreNamed(_ arguments: [String], _ value: String) throws {
        let done = try ChildProgram("belfryctl", arguments).end()

        #expect(done.status == 64)
        #expect(done.errors.hasPrefix("Error: ") && done.errors.contains(value), "\(done.errors)")
    }

    @Test(arguments: ["status", "watch", "post", "pause", "reload", "flush", "listeners", "signals"])
    func missingServiceIsUnreachable(_ command: String) throws {
        let standIn = try StandIn(running: false)
        let arguments = command == "post" ? ["post", "x"] : [command]

        let done = try ChildProgram("belfryctl", ["--socket", standIn.socket] + arguments).end()

        #expect(done.status == 69)
        let reason = "No such file or directory (ENOENT)"
        #expect(done.errors.hasPrefix("unable to connect to '\(standIn.socket)': \(reason)\nis belfryd running?"))
    }

    @Test(arguments: [
        (["status"], "get the state of"), (["watch"], "watch"), (["watch", "--wait"], "watch"),
        (["hold", "--reason", "x"], "hold"),
    ])
    func timeoutLimitsTheWaitForAReply(_ command: [String], _ verb: String) throws {
        let standIn = try StandIn()
        #expect(try standIn.ctl("status").end().status == 0)
        kill(try #require(standIn.service).pid, SIGSTOP)

        let environment = ["BELFRY_SOCKET": standIn.socket]
        let done = try ChildProgram("belfryctl", command + ["--timeout", "50ms"], environment: environment).end()

        #expect(done.status == 69)
        #expect(done.errors.hasPrefix("unable to \(verb) '\(standIn.socket)': no answer in 50 ms\n"))
    }

    @Test func timeoutLimitsTheWaitForAService() throws {
        let standIn = try StandIn(running: false)

        let done = try standIn.ctl("watch", "--wait", "--timeout", "50ms").end()

        #expect(done.status == 69)
        #expect(done.errors.hasSuffix("unable to watch '\(standIn.socket)': no answer in 50 ms\n"))
    }

    @Test func timeoutIsRefusedWhereNoServiceIsAsked() throws {
        let done = try ChildProgram("belfryctl", ["history", "--timeout", "1s"]).end()

        #expect(done.status == 64)
        #expect(done.errors.hasPrefix("Error: --timeout does not apply: no service is asked\n"))
    }
}
