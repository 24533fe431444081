// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryLinux
import CBelfry
import Glibc
import TestSupport
import Testing

/// Commands whose output nobody reads, or that cannot be written.
@Suite(.timeLimit(.minutes(2)))
struct LostOutputTests {
    nonisolated static let failed =
        #""reports":[{"listener":"d","notification":"didResume","outcome":"failed","durationUsec":7}]"#
    nonisolated static let cases: [([String], String, Int32)] = [
        (["is-active"], #""state":"background","listeners":[]"#, 1),
        (["is-active"], #""state":"active","listeners":[]"#, 0),
        (["pause"], #""state":"background",\#(failed)"#, 1),
        (["pause", "--json"], #""state":"background","reports":[]"#, 0),
        (["resume"], #""state":"active",\#(failed)"#, 1), (["interrupt"], #""state":"inactive",\#(failed)"#, 1),
        (["post", "a", "--wait"], #""sequence":4,"result":"failed",\#(failed)"#, 1),
        (["post", "a"], #""sequence":4,"result":"posted","reports":[]"#, 0),
        (["flush"], #""sequence":4,"result":"failed",\#(failed)"#, 1),
        (["perform", "x"], #""sequence":4,"result":"failed",\#(failed)"#, 1),
        (["simulate", "powerFailing"], #""sequence":4,"result":"failed",\#(failed)"#, 1),
        (["open", "x:y", "--json"], #""reports":[]"#, 1), (["open", "x:y"], #""handledBy":"d""#, 0),
        (["reload", "--dry-run"], #""reports":[]"#, 0),
        (["status", "--json"], #""state":"active""#, 0), (["listeners"], #""listeners":[]"#, 0),
        (["wait", "a"], #""notification":{"sequence":1,"name":"a"}},"continues":true"#, 0),
    ]

    private func run(_ command: [String], _ reply: String, outputTo: Int32) throws -> ChildProgram.End {
        let isStream = reply.hasSuffix(#""continues":true"#)
        let standIn = try StandIn(answering: [#"{"parameters":{\#(reply)\#(isStream ? "}" : "}}")"#])
        return try standIn.ctl(command, outputTo: outputTo).end()
    }

    /// The end of a pipe whose other end is closed is closed by the child.
    private func unread() throws -> Int32 {
        var ends: [Int32] = [-1, -1]
        try SystemError.check(belfry_pipe(&ends), verb: "make", object: "pipe")
        close(ends[0])
        return ends[1]
    }

    @Test(arguments: cases)
    func theStatusDoesNotDependOnTheReader(_ command: [String], _ reply: String, _ status: Int32) throws {
        let output = try unread()
        defer { close(output) }

        #expect(try run(command, reply, outputTo: output).status == status)
    }

    @Test(arguments: cases)
    func aSuccessWhoseOutputIsLostIsNone(_ command: [String], _ reply: String, _ status: Int32) throws {
        let full = open("/dev/full", O_WRONLY | O_CLOEXEC)
        defer { close(full) }

        let end = try run(command, reply, outputTo: full)

        #expect(end.status == (status == 0 ? 71 : status))
        #expect(end.errors.hasPrefix("unable to write 'standard output': No space left on device (ENOSPC)\n"))
    }

    nonisolated static let prints: [(String, [String])] = [
        ("belfryctl", ["--help"]), ("belfryctl", ["status", "--help"]), ("belfryctl", ["--version"]),
        ("belfryctl", ["--generate-completion-script", "bash"]), ("belfry-listener", ["--help"]),
        ("belfry-listener", ["--version"]), ("belfryd", ["--help"]), ("belfryd", ["--version"]),
        ("belfryd", ["--print-config", "--config", "/dev/null"]),
    ]

    @Test(arguments: prints)
    func aPrintThatIsLostIsNoSuccess(_ program: String, _ arguments: [String]) throws {
        let full = open("/dev/full", O_WRONLY | O_CLOEXEC)
        defer { close(full) }

        let end = try ChildProgram(program, arguments, outputTo: full).end()

        let problem = "unable to write 'standard output': No space left on device (ENOSPC)\n"
        #expect(end == .init(status: 71, output: "", errors: problem))
    }

    @Test func aWaitWithoutAReaderGoesOn() throws {
        let output = try unread()
        defer { close(output) }

        let end = try StandIn().ctl("wait", "a", "--timeout", "50ms", outputTo: output).end()

        #expect(end.status == 69)
    }

    @Test func aWatchEndsWithItsReader() throws {
        let output = try unread()
        defer { close(output) }

        #expect(try StandIn().ctl("watch", outputTo: output).end() == .init(status: 0, output: "", errors: ""))
    }
}
