// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryConfiguration
import Glibc
import Lifecycle
import Testing

struct SignalNameTests {
    @Test func everySignalHasANameThatReadsBack() throws {
        for number in CInt(1)...64 {
            guard let name = SignalName.name(of: number) else {
                #expect(number == 32 || number == 33 || number == SignalName.realTime.lowerBound - 1)
                continue
            }
            #expect(try SignalName.number(name) == number)
            #expect(try SignalName.number("SIG" + name) == number)
        }
        #expect(SignalName.name(of: 0) == nil && SignalName.name(of: 65) == nil)
    }

    @Test func namesAreThoseOfTheSystem() throws {
        #expect(try SignalName.number("USR1") == SIGUSR1)
        #expect(try SignalName.number("SIGTERM") == SIGTERM)
        #expect(try SignalName.number("CLD") == SIGCHLD)
        #expect(try SignalName.number("RTMIN+5") == SignalName.realTime.lowerBound + 5)
        #expect(try SignalName.number("RTMAX-1") == SignalName.realTime.upperBound - 1)
        #expect(try SignalName.number("RTMAX") == SignalName.realTime.upperBound)
        #expect(SignalName.name(of: SignalName.realTime.lowerBound + 18) == "RTMIN+18")
    }

    @Test(arguments: [
        ("USR3", "unknown signal 'USR3', did you mean 'USR1'?"),
        ("SIGTREM", "unknown signal 'SIGTREM', did you mean 'SIGTERM'?"),
        ("usr1", "unknown signal 'usr1', did you mean 'USR1'?"),
        ("RTMIN+x", "unknown signal 'RTMIN+x', did you mean 'RTMIN'?"),
        ("10", "unknown signal '10'"),
        ("", "unknown signal ''"),
        ("SIG", "unknown signal 'SIG'"),
    ])
    func unknownNamesAreRefusedWithTheNearest(text: String, message: String) {
        let problem = #expect(throws: ValueProblem.self) { try SignalName.number(text) }

        #expect(problem?.message == message)
    }

    @Test(arguments: ["RTMIN+31", "RTMAX-31", "RTMIN+99999999999999999999"])
    func realTimeSignalsOutOfRangeAreRefused(text: String) {
        let problem = #expect(throws: ValueProblem.self) { try SignalName.number(text) }

        #expect(problem?.message == "no signal '\(text)': there are RTMIN to RTMIN+30")
    }

    @Test func actionsAreExactAndAllElseIsANotification() throws {
        #expect(try SignalAction("stopNow") == .stopNow)
        #expect(try SignalAction("stopnow") == .post(#require(LifecycleNotification.Name("stopnow"))))
        #expect(try SignalAction("my.own-name2") == .post(#require(LifecycleNotification.Name("my.own-name2"))))
        #expect(try SignalAction("performAction:rotate") == .perform("rotate"))
        #expect(try SignalAction("performAction:rotate").description == "performAction:rotate")
        #expect(throws: ValueProblem.self) { try SignalAction("performAction:") }
        #expect(SignalAction.names.count == 8)
        for name in SignalAction.names { #expect(try SignalAction(name).description == name) }
    }

    @Test(arguments: [("", 0), ("1a", 0), ("a b", 1), ("a_b", 1), ("ü", 0), (".a", 0)])
    func malformedNotificationNamesAreRefused(text: String, offset: Int) {
        let problem = #expect(throws: ValueProblem.self) { try SignalAction(text) }

        #expect(problem?.offset == offset)
    }
}
