// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Foundation
import TestSupport
import Testing

/// `belfryctl explain`, on the real programs.
@Suite(.timeLimit(.minutes(2)))
struct ExplainTests {
    let fixture = DaemonFixture()

    private func json(_ arguments: String...) throws -> [String: Any] {
        let lines = try fixture.control(arguments + ["--json"]).lines
        let object = try JSONSerialization.jsonObject(with: Data(lines.joined().utf8))
        return try #require(object as? [String: Any])
    }

    @Test func explainListsListenersAndWhetherTheyFit() throws {
        let service = try fixture.startReady("ServiceProbe", ["slow=0"], "[Service]\nStopTimeout=20s\n")

        let reply = try json("explain", "TERM")
        let text = try fixture.control("explain", "SIGTERM").lines

        let steps = try #require(reply["steps"] as? [[String: Any]])
        #expect(steps.map { $0["name"] as? String } == ["willResignActive", "didEnterBackground", "willTerminate"])
        let listeners = try #require(steps.last?["listeners"] as? [[String: Any]])
        let names = listeners.compactMap { $0["name"] as? String }
        let first = try #require(steps.first?["listeners"] as? [[String: Any]])
        #expect(first.first?["name"] as? String == "serviceManager")
        #expect(names.contains("probe"))
        let probe = try #require(listeners.first { $0["name"] as? String == "probe" })
        #expect(probe["deadlineUsec"] as? Int == 60_000_000)
        #expect(reply["limitUsec"] as? Int == 20_000_000)
        #expect(reply["fits"] as? Bool == false)
        #expect(reply["action"] as? String == "stop")
        #expect(text.first == "SIGTERM (15): stop, stops the service in order; the process ends with 0")
        #expect(text.contains { $0.contains("willTerminate") })
        #expect(text.last?.contains("has 20 s by configuration: it does not fit") == true)
        #expect(service.stop().status == 0)
    }

    @Test func explainUsesTheConfiguredActionAndTheState() throws {
        let daemon = try fixture.startReady("[Signals]\nUSR1=com.example.rotate\nUSR2=ignore\n")

        let post = try json("explain", "USR1")
        let nothing = try fixture.control("explain", "USR2").lines
        let resume = try fixture.control("explain", "CONT").lines

        #expect((post["steps"] as? [[String: Any]])?.map { $0["name"] as? String } == ["com.example.rotate"])
        #expect(post["limitUsec"] == nil)
        #expect(nothing.first == "SIGUSR2 (12): ignore, nothing: it is ignored")
        #expect(resume.contains { $0.contains("didResume") })
        #expect(daemon.stop().status == 0)
    }

    @Test func explainSaysWhatTheKernelDoesWithoutTheService() throws {
        let daemon = try fixture.startReady()

        let kill = try fixture.control("explain", "KILL")
        let stop = try fixture.control("explain", "STOP")
        let fault = try fixture.control("explain", "SEGV")

        #expect([kill.status, stop.status, fault.status] == [0, 0, 0])
        #expect(
            kill.lines.first?.hasPrefix("SIGKILL (9): the kernel ends the process at once, and no listener") == true)
        for part in ["ExecStopPost=", "Restart=", "connects again"] {
            #expect(kill.lines.first?.contains(part) == true)
        }
        #expect(stop.lines.first?.hasPrefix("SIGSTOP (19): the kernel stops the process until SIGCONT") == true)
        for part in ["posts didResume", "resumes a service that is not active", "WatchdogSec=", "frozen"] {
            #expect(stop.lines.first?.contains(part) == true)
        }
        #expect(fault.lines.first == "SIGSEGV (11): no notification: it reports a fault of the program itself")
        #expect(kill.lines.last == "No notification is delivered in the state active.")
        #expect(daemon.stop().status == 0)
    }

    @Test func explainedControlSignalListsTheMemoryWarning() throws {
        let daemon = try fixture.startReady()

        let text = try fixture.control("explain", "RTMIN+18").lines

        #expect(text.first?.hasSuffix("queued with it; 0x300 posts a memory warning") == true)
        #expect(text.contains { $0.hasPrefix("didReceiveMemoryWarning") })
        #expect(daemon.stop().status == 0)
    }

    @Test func defaultLimitIsNotShownAsConfigured() throws {
        let daemon = try fixture.startReady()

        #expect(
            try fixture.control("explain", "TSTP").lines.last?.contains("has 1 min 30 s as for any transition: it")
                == true)
        #expect(daemon.stop().status == 0)
    }
}
