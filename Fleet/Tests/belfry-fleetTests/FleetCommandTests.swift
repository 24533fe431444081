// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Glibc
import TestSupport
import Testing

@testable import belfry_fleet

/// belfry-fleet with a stand-in for belfry-fleetd.
@Suite(.timeLimit(.minutes(2)))
struct FleetCommandTests {
    private static let since = 1_767_358_802_000_000
    private static let hosts = """
        {"hosts":[{"name":"db1","state":"unknown","ageUsec":42000000},\
        {"name":"web1","state":"active","sinceUsec":\(since),"version":"0.1.0"}],"isCurrent":true}
        """

    /// A stand-in with these replies.
    private func fleet(_ replies: String...) throws -> StandIn {
        try StandIn(["List \(Self.hosts)"] + replies)
    }

    @Test func hostsAreATable() throws {
        let done = try fleet().run("list")

        #expect(done.status == 0 && done.errors == "")
        #expect(
            done.output
                == """
                HOST  STATE    SINCE                VERSION   AGE
                db1   unknown  -                    -        42 s
                web1  active   2026-01-02 13:00:02  0.1.0       -

                """)
    }

    @Test func listShowsTheHostsThatMatch() throws {
        let standIn = try fleet()

        #expect(
            try standIn.run("list", "--hosts", "w*", "--json").output
                == #"{"hosts":[{"name":"web1","state":"active","sinceUsec":\#(Self.since),"version":"0.1.0"}],"isCurrent":true}"#
                + "\n")
        #expect(try standIn.run("list", "--hosts", "x*").output == "HOST  STATE  SINCE  VERSION  AGE\n")
    }

    @Test func viewWithoutBrokerIsSaid() throws {
        let standIn = try StandIn([#"List {"hosts":[],"isCurrent":false}"#])

        let done = try standIn.run("list", "--json")

        #expect(done.output == "{\"hosts\":[],\"isCurrent\":false}\n")
        #expect(done.errors == "belfry-fleet: belfry-fleetd has no connection to the broker, every host is unknown\n")
    }

    @Test func watchShowsHostsAndTheirNotifications() throws {
        let notification = #"{"sequence":7,"name":"didBecomeActive","state":"active","realtimeUsec":\#(Self.since)}"#
        let standIn = try fleet(
            #"Watch {"host":{"name":"db1","state":"unknown","ageUsec":42000000}}"#,
            #"Watch {"host":{"name":"web1","state":"active","sinceUsec":\#(Self.since)}}"#,
            #"Watch {"host":{"name":"db1","state":"active"},"notification":\#(notification)}"#,
            #"Watch {"note":"connected again"}"#,
            #"Watch {"host":{"name":"db1","state":"active"},"note":"notifications 3 to 5 are missing"}"#)

        let watch = try standIn.command(["watch", "didBecomeActive", "--hosts", "*1"])

        #expect(watch.line() == "db1 is unknown, last heard of 42 s ago")
        #expect(watch.line() == "web1 is active, since 2026-01-02 13:00:02")
        #expect(
            watch.line()
                == "db1   2026-01-02T13:00:02.000000+0000      7  didBecomeActive      active                    -")
        #expect(watch.errorLine() == "belfry-fleet: connected again")
        #expect(watch.errorLine() == "belfry-fleet: db1: notifications 3 to 5 are missing")
        kill(watch.pid, SIGINT)
        #expect(watch.end() == .init(status: 128 + SIGINT, output: "", errors: ""))
        #expect(standIn.service?.line() == "List {}")
        #expect(standIn.service?.line() == #"Watch {"hosts":"*1","names":["didBecomeActive"]}"#)
    }

    @Test func historyNamesTheHostsThatDidNotSendAll() throws {
        let notification = #"{"sequence":7,"name":"a","state":"active","realtimeUsec":\#(Self.since)}"#
        let standIn = try fleet(
            #"History {"host":"web1","notification":\#(notification)}"#,
            #"History {"host":"web1","outcome":"done"}"#,
            #"History {"host":"db1","outcome":"timeout","reason":"no answer"}"#)

        let done = try standIn.run("history", "--after", "6", "--timeout", "2s")

        #expect(done.status == 1)
        #expect(done.output.hasPrefix("web1  2026-01-02T13:00:02.000000+0000      7  a "))
        #expect(done.errors == "belfry-fleet: the history of 'db1' is not complete: timeout, no answer\n")
        #expect(standIn.service?.line() == "List {}")
        #expect(standIn.service?.line() == #"History {"after":6,"timeoutUsec":2000000}"#)
    }

    @Test func postPrintsALineForEachHost() throws {
        let standIn = try fleet(
            #"Send {"host":"web1","outcome":"done","result":{"sequence":41,"result":"noData","reports":[{"listener":"log","outcome":"completed","durationUsec":7}]}}"#,
            #"Send {"host":"db1","outcome":"timeout","reason":"no answer by the deadline"}"#)

        let done = try standIn.run("post", "org.example.x", "key=7", "--hosts", "*", "--wait", "--timeout", "2s")

        let lines = done.output.split(separator: "\n").map(String.init)
        #expect(done.status == 1 && lines.count == 3)
        #expect(lines[0].hasPrefix("web1  done, ") && lines[1] == "  log  completed, 7 us")
        #expect(lines[2].hasPrefix("db1   timeout, ") && lines[2].hasSuffix(", no answer by the deadline"))
        #expect(standIn.service?.line() == "List {}")
        #expect(
            standIn.service?.line()
                == #"Send {"command":"post","name":"org.example.x","userInfo":{"key":7},"hosts":"*","timeoutUsec":2000000}"#
        )
    }

    @Test func listenerThatFailedIsNamed() throws {
        let standIn = try fleet(
            #"Send {"host":"web1","outcome":"done","result":{"state":"active","reports":[{"listener":"nginx","notification":"didBecomeActive","outcome":"failed","reason":"no port","durationUsec":7}]}}"#
        )

        let done = try standIn.run("resume", "--hosts", "web1")

        #expect(done.status == 1 && done.output.hasPrefix("web1  done, "))
        #expect(done.output.hasSuffix(", but listener 'nginx' failed at didBecomeActive: no port\n"))
    }

    @Test(arguments: [("done", 0), ("failed", 1), ("refused", 1), ("late", 1), ("unknown", 1), ("away", 1)])
    func exitStatusSaysWhetherAllHostsDidIt(_ outcome: String, _ status: Int32) throws {
        let standIn = try fleet(
            #"Send {"host":"db1","outcome":"done"}"#, #"Send {"host":"web1","outcome":"\#(outcome)"}"#)

        let done = try standIn.run("reload", "--hosts", "*", "--json")

        #expect(
            done
                == .init(
                    status: status,
                    output: """
                        {"host":"db1","outcome":"done"}
                        {"host":"web1","outcome":"\(outcome)"}

                        """, errors: ""))
    }

    @Test func rollPrintsEachStepAndWhyItStopped() throws {
        let standIn = try fleet(
            #"Roll {"host":"db1","step":"sent"}"#, #"Roll {"host":"db1","step":"healthy"}"#,
            #"Roll ERROR=RollStopped {"host":"web1","reason":"it failed"}"#)

        let done = try standIn.run("pause", "--rolling", "1", "--for", "5s", "--healthy", "1min", "--timeout", "2min")

        #expect(
            done
                == .init(
                    status: 1, output: "db1   sent\ndb1   healthy\n",
                    errors: """
                        unable to pause 'hosts': stopped at web1: it failed
                        'belfry-fleet continue' goes on with it, 'belfry-fleet cancel' ends it

                        """))
        #expect(standIn.service?.line() == "List {}")
        #expect(
            standIn.service?.line()
                == #"Roll {"command":"pause","pauseUsec":5000000,"away":1,"healthyUsec":60000000,"timeoutUsec":120000000}"#
        )
    }

    @Test func rollIsContinuedAndCancelled() throws {
        let standIn = try fleet(#"Continue {"host":"db1","step":"healthy"}"#, #"Continue {"step":"finished"}"#)

        #expect(try standIn.run("continue") == .init(status: 0, output: "db1   healthy\nfinished\n", errors: ""))
        #expect(try standIn.run("cancel") == .init(status: 0, output: "", errors: ""))
    }

    @Test(
        arguments: [
            (
                ["list"], "List", "NoView {}", 69,
                "unable to list 'hosts': belfry-fleetd of this host has no view of the fleet"
            ),
            (
                ["reload", "--hosts", "*"], "Send", #"NoBroker {"reason":"timeout"}"#, 69,
                "unable to reload 'hosts': no connection to the broker: timeout"
            ),
            (
                ["post", "x", "--hosts", "y*"], "Send", #"NoSuchHosts {"hosts":"y*"}"#, 64,
                "unable to post 'x': no host matches 'y*'"
            ),
            (
                ["reload", "--rolling", "1"], "Roll", #"RollBusy {"reason":"it stopped at db1"}"#, 69,
                "unable to reload 'hosts': it stopped at db1"
            ),
            (
                ["continue"], "Continue", "NothingToContinue {}", 69,
                "unable to continue 'rolling command': there is no rolling command that stopped"
            ),
        ] as [([String], String, String, Int32, String)])
    func errorsSayWhatToDo(_ arguments: [String], _ method: String, _ error: String, _ status: Int32, _ message: String)
        throws
    {
        let standIn = try fleet("\(method) ERROR=\(error)")

        let done = try standIn.command(arguments).end()

        #expect(done.status == status)
        #expect(done.errors.hasPrefix(message + "\n"), "\(done.errors)")
        #expect(done.output == "")
    }

    @Test func signalEndsARollAndSaysHowItGoesOn() throws {
        let standIn = try fleet(#"Roll {"host":"db1","step":"sent"}"#, "Roll OPEN")

        let roll = try standIn.command(["reload", "--rolling", "1"])
        #expect(roll.line() == "db1   sent")
        kill(roll.pid, SIGTERM)

        let done = roll.end()
        #expect(done.status == 128 + SIGTERM)
        #expect(
            done.errors.hasPrefix("belfry-fleet: the rolling command stops, 'belfry-fleet continue' goes on with it"))
    }

    @Test func missingFleetdIsUnreachable() throws {
        let standIn = try StandIn(nil)

        let done = try standIn.run("list")

        #expect(done.status == 69)
        #expect(
            done.errors == """
                unable to connect to '\(standIn.socket)': No such file or directory (ENOENT)
                is belfry-fleetd installed and running? see 'systemctl status belfry-fleetd'; use --socket for another one

                """)
    }

    @Test func socketOfTheServiceIsNotUsed() throws {
        let standIn = try fleet()

        let done = try standIn.command(["list"], isConnected: false).end()

        #expect(
            standIn.service.map { _ in done.output } == "" && done.errors.contains("/run/belfry-fleet/io.belfry.Fleet"))
    }

    @Test(arguments: [
        ["post", "x"]: "missing --hosts; use --hosts '*' for all hosts of the fleet",
        ["pause"]: "missing --hosts; use --hosts '*' for all hosts of the fleet",
        ["resume"]: "missing --hosts; use --hosts '*' for all hosts of the fleet",
        ["reload"]: "missing --hosts; use --hosts '*' for all hosts of the fleet",
        ["reload", "--hosts", "*", "--healthy", "1s"]: "--healthy is for --rolling only",
        ["reload", "--rolling", "0"]: "--rolling must be at least 1",
        ["pause", "--rolling", "1"]: "--rolling and --for are used together: each host is paused for that time",
        ["pause", "--hosts", "*", "--for", "1s"]:
            "--rolling and --for are used together: each host is paused for that time",
        ["post", "1st", "--hosts", "*"]: "invalid notification name '1st'",
        ["reload", "--hosts", "*", "--timeout", "2h"]: "--timeout must be more than 0 and at most 1h",
        ["history", "--after=-1"]: "--after must not be negative",
    ])
    func wrongOptionsAreRefused(_ arguments: [String], _ message: String) throws {
        let done = try ChildProgram("belfry-fleet", arguments).end()

        #expect(done.status == 64)
        #expect(done.errors.hasPrefix("Error: \(message)"), "\(done.errors)")
        #expect(done.errors.contains("See 'belfry-fleet \(arguments[0]) --help'"))
    }

    @Test func barShowsThePart() {
        #expect(ProgressBar.line((nil, "2 of 5 hosts")) == "2 of 5 hosts")
        #expect(ProgressBar.line((0.25, "a")) == "[######------------------]  25 %  a")
        #expect(ProgressBar.line((9, "a")) == "[########################] 100 %  a")
    }

    @Test func hostsAreCompleted() throws {
        let standIn = try fleet()
        let words = ["---completion", "list", "--", "--hosts", "3", "0", "belfry-fleet", "list", "--hosts", ""]

        let done = try standIn.command(words + ["--socket", standIn.socket], isConnected: false).end()

        #expect(done.output == "db1\nweb1\n", "\(done.errors)")
    }

    @Test(arguments: ["bash", "zsh", "fish"])
    func completionScriptsHaveCommandsAndAskForHosts(_ shell: String) throws {
        let done = try ChildProgram("belfry-fleet", ["--generate-completion-script", shell]).end()

        #expect(done.status == 0)
        for word in ["history", "cancel", "---completion", "didBecomeActive"] { #expect(done.output.contains(word)) }
    }

    @Test func versionIsOneLine() throws {
        let done = try ChildProgram("belfry-fleet", ["--version"]).end()

        #expect(done.status == 0)
        #expect(done.output.hasPrefix("belfry-fleet ") && done.output.filter { $0 == "\n" }.count == 1)
    }
}
