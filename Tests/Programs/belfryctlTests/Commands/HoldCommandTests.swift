// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct HoldCommandTests {
    /// A service that holds at once, and then perhaps ends the hold. The same replies go to the subscription.
    private func hold(
        isBroken: Bool, by end: String = #""held":false,"reason":"it snows""#, _ command: String...
    ) throws -> ChildProgram.End {
        let state = #"{"state":"active","sequence":1,"bootId":"b"}"#
        let held = #"{"parameters":{"state":\#(state),"held":true},"continues":true}"#
        let over = #"{"parameters":{\#(end)},"continues":true}"#
        let standIn = try StandIn(answering: isBroken ? [held, over] : [held])
        return try standIn.ctl(["hold", "--reason", "x"] + command).end()
    }

    @Test func exitStatusIsThatOfTheCommand() throws {
        #expect(try hold(isBroken: false, "--", "true") == .init(status: 0, output: "", errors: ""))
        #expect(try hold(isBroken: false, "--", "sh", "-c", "exit 3").status == 3)
    }

    @Test func serviceThatStartsIsWaitedFor() throws {
        let standIn = try StandIn(running: false)
        let hold = try standIn.ctl("hold", "--reason", "x", "--", "echo", "begun")
        #expect(hold.errorLine()?.hasSuffix(" (ENOENT), waiting for it") == true)
        let reply =
            #"{"parameters":{"state":{"state":"active","sequence":1,"bootId":"b"},"held":true},"continues":true}"#
        try standIn.start([standIn.directory.write("answer", reply + "\0")])

        let done = hold.end()
        #expect(done.status == 0 && done.output == "begun\n")
    }

    @Test func serviceIsWaitedForInItsTime() throws {
        let done = try StandIn(running: false).ctl("hold", "--reason", "x", "--timeout", "50ms", "--", "echo").end()

        #expect(done.status == 69 && done.output == "")
        #expect(done.errors.hasSuffix("': no answer in 50 ms\n"))
    }

    @Test func commandThatSucceedsAfterTheEndOfTheHoldHasAStatusOfItsOwn() throws {
        let done = try hold(isBroken: true, "--", "echo", "done")

        #expect(
            done
                == .init(
                    status: 75, output: "done\n", errors: "belfryctl: the service is no longer held: it snows\n"))
    }

    @Test func sleepDuringTheHoldIsTold() throws {
        let done = try hold(isBroken: true, by: #""held":true,"overriddenBy":"sleep""#, "--", "true")

        let note = "belfryctl: sleep does not wait for the hold to end\n"
        #expect(done == .init(status: 75, output: "", errors: note))
    }

    @Test func failureOfTheCommandCountsMoreThanTheEndOfTheHold() throws {
        #expect(try hold(isBroken: true, "--", "sh", "-c", "exit 3").status == 3)
    }

    @Test func holdWithoutACommandEndsWithTheHold() throws {
        #expect(try hold(isBroken: true).status == 75)
    }
}
