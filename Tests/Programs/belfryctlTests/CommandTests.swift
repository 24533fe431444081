// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(2)))
struct CommandTests {
    @Test func statusIsOnePage() throws {
        let done = try StandIn().ctl("status").end()

        let lines = done.output.split(separator: "\n").map(String.init)
        #expect(done.status == 0)
        #expect(lines.first == "lantern 9.8 is active")
        #expect(lines[1].hasPrefix("      Process: pid ") && lines[1].hasSuffix("; 3 min 20 s ago"))
        #expect(lines[2] == "         Last: 40" && lines[3] == "    Last word: none")
        #expect(
            lines[4]
                == "       Health: listener 'cache' gave no answer to its last notification after 1 min 30 s")
        #expect(!lines.contains { $0.hasPrefix("    Listeners: ") })
    }

    @Test func statusAsJSONIsTheReplyOnOneLine() throws {
        let done = try StandIn().ctl("status", "--json").end()

        #expect(done.output.hasPrefix(#"{"state":"active","sequence":40,"#))
        #expect(done.output.filter { $0 == "\n" }.count == 1)
    }

    @Test(
        arguments: [
            ("active", "", ""), ("background", "", ""), ("active", #""lastOutcome":"newData""#, ""),
            ("active", #""health":"unhealthy","healthReason":"no disk""#, "disk is unhealthy: no disk"),
            (
                "active", #""lastOutcome":"failed","lastReason":"full","lastNotification":"didBecomeActive""#,
                "listener 'disk' failed at didBecomeActive: full"
            ),
            (
                "active", #""lastOutcome":"overran","lastDurationUsec":2000000,"lastNotification":"didReload""#,
                "listener 'disk' gave no answer to didReload after 2 s"
            ),
            (
                "active", #""lastOutcome":"late","lastDurationUsec":2000000,"lastNotification":"didReload""#,
                "listener 'disk' answered didReload late, after 2 s"
            ),
            (
                "active", #""lastOutcome":"refused","lastReason":"no","lastNotification":"didResume""#,
                "listener 'disk' refused didResume: no"
            ),
            // The service goes on with the old configuration.
            ("active", #""lastOutcome":"refused","lastReason":"no","lastNotification":"willReload""#, ""),
            ("active", #""lastOutcome":"failed","lastReason":"no","lastNotification":"willReload""#, ""),
            ("active", #""lastOutcome":"overran","lastDurationUsec":2000000,"lastNotification":"willReload""#, ""),
            ("active", #""lastOutcome":"late","lastDurationUsec":2000000,"lastNotification":"willReload""#, ""),
        ])
    func isActiveSucceedsOnlyForAnActiveServiceWhoseListenersWork(_ state: String, _ facts: String, _ problem: String)
        throws
    {
        let listener = #"{"name":"disk"\#(facts.isEmpty ? "" : ",")\#(facts)}"#
        let reply = #"{"parameters":{"state":"\#(state)","listeners":[{"name":"a"},\#(listener)]}}"#

        let done = try StandIn(answering: [reply]).ctl("is-active").end()

        let word = state == "background" ? "paused (background)" : state
        let output = problem.isEmpty ? "\(word)\n" : "\(word)\n\(problem)\n"
        let isGood = state == "active" && problem.isEmpty
        #expect(done == .init(status: isGood ? 0 : 1, output: output, errors: ""))
    }

    @Test func serviceThatStopsIsNotActive() throws {
        let transition = #""transition":{"trigger":"stop"}"#
        let reply = #"{"parameters":{"state":"active",\#(transition),"listeners":[]}}"#

        let standIn = try StandIn(answering: [reply])

        #expect(try standIn.ctl("is-active").end() == .init(status: 1, output: "stopping\n", errors: ""))
        let output = #"{"state":"active","problems":[],\#(transition)}"# + "\n"
        #expect(try standIn.ctl("is-active", "--json").end() == .init(status: 1, output: output, errors: ""))
    }

    @Test func activityIsAlsoJSON() throws {
        let listener = #"{"name":"disk","health":"unhealthy","healthReason":"no disk"}"#
        let standIn = try StandIn(answering: [#"{"parameters":{"state":"active","listeners":[\#(listener)]}}"#])

        let output = #"{"state":"active","problems":["disk is unhealthy: no disk"]}"# + "\n"
        #expect(try standIn.ctl("is-active", "--json").end() == .init(status: 1, output: output, errors: ""))
    }

    @Test func socketOptionMayPrecedeOrFollowTheCommand() throws {
        let standIn = try StandIn()

        for arguments in [["--socket", standIn.socket, "status"], ["status", "--socket", standIn.socket]] {
            #expect(try ChildProgram("belfryctl", arguments).end().status == 0)
        }
    }

    @Test func socketIsFoundInTheRuntimeDirectoryOfAUnit() throws {
        let standIn = try StandIn()
        let environment = ["RUNTIME_DIRECTORY": standIn.directory.url.path]

        #expect(try ChildProgram("belfryctl", ["reload"], environment: environment).end().status == 0)
    }

    @Test func transitionsPrintTheStateTheyReach() throws {
        let standIn = try StandIn()

        #expect(try standIn.ctl("pause").end() == .init(status: 0, output: "paused (background)\n", errors: ""))
        #expect(try standIn.ctl("resume").end() == .init(status: 0, output: "active\n", errors: ""))
        #expect(
            try standIn.ctl("interrupt", "--json").end()
                == .init(status: 0, output: "{\"state\":\"inactive\",\"reports\":[]}\n", errors: ""))
    }

    @Test(arguments: ["pause", "resume", "interrupt", "reload"])
    func listenersThatFailedAreNamed(_ command: String) throws {
        let reports = """
            {"listener":"nginx","notification":"didBecomeActive","outcome":"failed","reason":"exit\\nstatus 1","durationUsec":7},\
            {"listener":"log","notification":"didBecomeActive","outcome":"refused","reason":"no","durationUsec":7},\
            {"listener":"slow","notification":"willEnterForeground","outcome":"overran","durationUsec":2000000},\
            {"listener":"busy","notification":"didBecomeActive","outcome":"late","durationUsec":3000000}
            """
        let reply = #"{"state":"active","reports":[\#(reports)]}"#
        let standIn = try StandIn(answering: [#"{"parameters":\#(reply)}"#])
        let lines = """
            belfryctl: listener 'nginx' failed at didBecomeActive: exit\\nstatus 1
            belfryctl: listener 'log' refused didBecomeActive: no
            belfryctl: listener 'slow' gave no answer to willEnterForeground after 2 s
            belfryctl: listener 'busy' answered didBecomeActive late, after 3 s

            """

        let output = command == "reload" ? "" : "active\n"
        #expect(try standIn.ctl(command).end() == .init(status: 1, output: output, errors: lines))
        guard command != "reload" else { return }
        #expect(try standIn.ctl(command, "--json").end() == .init(status: 1, output: reply + "\n", errors: lines))
    }

    @Test(arguments: ["late", "refused", "overran", "failed"])
    func newDataDoesNotHideAListenerThatFailed(_ outcome: String) throws {
        let reports = """
            {"listener":"feed","outcome":"newData","durationUsec":7},\
            {"listener":"mail","outcome":"\(outcome)","durationUsec":7}
            """
        let reply = #"{"parameters":{"sequence":4,"result":"newData","reports":[\#(reports)]}}"#
        let standIn = try StandIn(answering: [reply])

        for command in [["post", "performFetch", "--wait"], ["flush"], ["perform", "x"]] {
            let done = try standIn.ctl(command).end()
            #expect(done.status == 1 && done.output.hasPrefix("4 newData\n") && done.errors == "", "\(command)")
        }
    }

    @Test func reloadPrintsNothingAndARefusalItsReasons() throws {
        let standIn = try StandIn()
        #expect(try standIn.ctl("reload").end() == .init(status: 0, output: "", errors: ""))

        standIn.say("refuse /etc/b.conf:3:1: one|/etc/b.conf:4:2: two")
        // The stand-in handles the command above some time later.
        var refused = try standIn.ctl("reload").end()
        while refused.status == 0 { refused = try standIn.ctl("reload").end() }

        #expect(refused == .init(status: 78, output: "", errors: "/etc/b.conf:3:1: one\n/etc/b.conf:4:2: two\n"))
    }

    @Test func postPrintsTheNumberAndWithWaitTheOutcomes() throws {
        let standIn = try StandIn()

        #expect(try standIn.ctl("post", "org.example.knock").end() == .init(status: 0, output: "41\n", errors: ""))
        let waited = try standIn.ctl("post", "org.example.knock", "n=1", "who=me", "raw:=[true]", "--wait").end()
        #expect(waited.status == 0)
        #expect(
            waited.output
                == """
                42 done
                  logger  completed, 1.2 ms
                  cache   completed, 90 us
                  echo    completed, 7 us, {"n":1,"who":"me","raw":[true]}

                """)
    }

    @Test func failedListenerSetsTheExitStatus() throws {
        let done = try StandIn().ctl("post", "org.example.broken", "--wait").end()

        #expect(done.status == 1)
        #expect(done.output.hasPrefix("41 failed\n"))
        #expect(done.output.contains("  cache   failed, 90 us, disk is full\n"))
    }

    @Test func tablesAreAligned() throws {
        let standIn = try StandIn()

        #expect(
            try standIn.ctl("signals").end().output
                == """
                SIGNAL      NUMBER  ACTION
                SIGHUP           1  reload
                SIGRTMIN+5      39  org.example.doorbell

                """)
        #expect(
            try standIn.ctl("listeners").end().output
                == """
                ORDER  NAME               DEADLINE  HEALTH  CALLS  FAILURES  LAST                    LONGEST  INTERESTS
                    0  service-manager        10 s  -           4         0  completed, 120 us        1.4 ms  a willTerminate
                    1  cache            1 min 30 s  -           1         1  overran, 1 min 30 s  1 min 30 s  flushRequested
                    2  new                     1 s  -           0         0  -                             -

                """)
    }

    @Test func historyReadsTheJournalWithoutAService() throws {
        let standIn = try StandIn(running: false)

        // Not every machine has a journal that this user may read.
        let read = try standIn.ctl("history", "lantern-of-nobody").end()
        #expect(read.status == 0 || read.errors.hasPrefix("unable to read the journal: "))
        let unnamed = try standIn.ctl("history").end()
        #expect(unnamed.status == 64)
        #expect(unnamed.errors.hasSuffix("\ngive its name: 'belfryctl history NAME.service'\n"))
    }

    @Test(arguments: ["bash", "zsh", "fish"])
    func completionScriptsHaveCommandsAndAskForNames(_ shell: String) throws {
        let done = try ChildProgram("belfryctl", ["--generate-completion-script", shell]).end()

        #expect(done.status == 0)
        for word in ["listeners", "resume", "---completion", "records"] {
            #expect(done.output.contains(word))
        }
    }

    @Test func firstHelpHasWhatAnOperatorNeeds() throws {
        let done = try ChildProgram("belfryctl", ["--help"]).end()

        let words = Set(done.output.split { $0 == " " || $0 == "\n" })
        #expect(done.status == 0)
        #expect(words.isSuperset(of: ["pause", "resume", "status", "list", "enable", "history", "hold"]))
        #expect(words.isDisjoint(with: ["interrupt", "open", "perform", "simulate"]))
        // They still have their own.
        #expect(try ChildProgram("belfryctl", ["simulate", "--help"]).end().status == 0)
    }

    @Test func versionIsOneLine() throws {
        let done = try ChildProgram("belfryctl", ["--version"]).end()

        #expect(done.status == 0)
        #expect(done.output.hasPrefix("belfryctl "))
        #expect(done.output.filter { $0 == "\n" }.count == 1)
    }
}
