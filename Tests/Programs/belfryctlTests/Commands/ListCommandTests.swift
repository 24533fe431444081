// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryClient
import BelfryCommandLine
import CBelfry
import Foundation
import Glibc
import TestSupport
import Testing
import Varlink

@testable import belfryctl

@Suite(.timeLimit(.minutes(2)))
struct ListCommandTests {
    @Test func servicesAreATable() {
        let services: JSONObject = [
            "services": [
                [
                    "service": "belfryd", "state": "active", "version": "0.1.0", "pid": 812, "health": "healthy",
                    "application": "a.service is active (running)", "socket": "/run/belfry/io.belfry.Lifecycle",
                ],
                ["socket": "/run/video\u{1B}[2J/io.belfry.Lifecycle"],
            ]
        ]

        #expect(
            ListCommand.lines(services, .plain) == [
                "NAME     STATE   HEALTH   VERSION  PID  APPLICATION                    SOCKET",
                "belfryd  active  healthy  0.1.0    812  a.service is active (running)  /run/belfry/io.belfry.Lifecycle",
                "-        -       -        -          -  -                              /run/video\\u{1B}[2J/io.belfry.Lifecycle",
            ])
    }

    @Test func pauseOfAnApplicationIsShown() {
        setenv("TZ", "UTC", 1)
        let services: JSONObject = [
            "services": [
                [
                    "service": "a", "application": "a.service is active",
                    "paused": [
                        "kind": "paused", "realtimeUsec": 97_000_000, "pauseReason": "two\nlines",
                        "origin": ["kind": "socket", "pid": 8, "uid": 0],
                    ],
                ],
                ["service": "b", "application": "b.service is active", "paused": ["kind": "paused"]],
                ["service": "c", "application": "c.service is active", "paused": "x"],
            ]
        ]

        let lines = ListCommand.lines(services, .plain)

        let origin = "by socket from pid 8 (root)"
        #expect(lines[1].hasSuffix("  a.service is active, paused 1970-01-01 00:01:37 \(origin): two\\nlines  -"))
        #expect(lines[2].contains("  b.service is active, paused  "))
        #expect(lines[3].contains("  c.service is active  "))
    }

    /// The user of an instance owns the folder.
    @Test func nothingBehindALinkIsShown() throws {
        let directory = try TemporaryDirectory()
        let socket = directory.path("io.belfry.Lifecycle")
        #expect(ListCommand.pause(keptBeside: socket) == nil)
        #expect(try ListCommand.failedCommands(keptBeside: socket) == nil)
        let secret = try directory.write("secret", #"{"lastWord":{"kind":"paused","pauseReason":"secret"}}"#)
        for name in ["paused", "failed-commands"] { symlink(secret, directory.path(name)) }

        #expect(ListCommand.pause(keptBeside: socket) == ["kind": "paused"])
        let failure = #expect(throws: ClientFailure.self) { try ListCommand.failedCommands(keptBeside: socket) }
        #expect(failure?.lines.first?.hasPrefix("not known which commands have failed: ") == true)
    }

    @Test func hangingServiceIsNamedAndDoesNotHideTheOthers() throws {
        let directory = try TemporaryDirectory()
        try directory.write("lantern/x", "")
        try directory.write("stuck/x", "")
        let service = try ChildProgram("LifecycleServiceProbe", [directory.path("lantern/io.belfry.Lifecycle")])
        #expect(service.line() == "ready")
        let stuck = belfry_unix_listen(directory.path("stuck/io.belfry.Lifecycle"), 1)
        defer { close(stuck) }

        let done = try ChildProgram(
            "belfryctl", ["list", "--timeout", "2s", "--json"],
            environment: ["XDG_RUNTIME_DIR": directory.url.path]
        ).end()

        #expect(done.status == 0)
        #expect(done.output.contains(#""service":"lantern""#))
        #expect(done.output.contains(#""socket":"\#(directory.path("lantern/io.belfry.Lifecycle"))""#))
        let path = directory.path("stuck/io.belfry.Lifecycle")
        #expect(done.errors.contains("belfryctl: unable to get the state of '\(path)': no answer in 2 s\n"))
        let failed = try ChildProgram(
            "belfryctl", ["list", "--timeout", "200ms", "--failed"],
            environment: ["XDG_RUNTIME_DIR": directory.url.path]
        ).end()
        #expect(failed.status == 1)
    }

    /// What `list --failed` says of a service that gives this reply to each call.
    private func failed(_ options: String..., reply: String) throws -> ChildProgram.End {
        let directory = try TemporaryDirectory()
        try directory.write("lantern/x", "")
        let answer = try directory.write("answer", #"{"parameters":\#(reply)}"# + "\0")
        let service = try ChildProgram(
            "LifecycleServiceProbe", [directory.path("lantern/io.belfry.Lifecycle"), answer])
        #expect(service.line() == "ready")
        return try ChildProgram(
            "belfryctl", ["list", "--failed"] + options,
            environment: ["XDG_RUNTIME_DIR": directory.url.path, "TZ": "UTC"]
        ).end()
    }

    @Test func failedListsWhatIsWrong() throws {
        let reply = """
            {"service":"lantern","state":"background","lastWord":{"kind":"paused","realtimeUsec":1000000},\
            "listeners":[{"name":"application"},{"name":"disk","health":"degraded","healthReason":"full"}],\
            "transition":{"trigger":"stop","origin":{"kind":"service"},"waitingFor":["disk","x"]},\
            "holds":[{"reason":"backup","pid":7,"ageUsec":90000000000},{"reason":"copy","pid":8,"ageUsec":1}],\
            "failedCommands":{"Degraded":"one","Reload":"two","Stop":"three"}}
            """
        let always = """
            lantern: disk is degraded: full
            lantern: Reload= failed two
            lantern: Degraded= failed one
            lantern: Stop= failed three
            lantern: stop by service, waiting for 'disk', 'x'

            """
        let hold = "lantern: held for backup (pid 7, for 1 d 1 h)\n"
        let pause = "lantern: paused 1970-01-01 00:00:01\n"
        #expect(try failed(reply: reply) == .init(status: 1, output: always + pause + hold, errors: ""))
        let patient = try failed("--paused-for", "infinity", reply: reply)
        #expect(patient == .init(status: 1, output: always, errors: ""))
        let all = #"{"services":[{"service":"lantern","state":"background","transition":"#
        #expect(try failed("--json", reply: reply).output.hasPrefix(all))
    }

    @Test(arguments: [
        #""kind":"paused","realtimeUsec":\#(Int64(Date().timeIntervalSince1970 * 1_000_000))"#,
        // Another one begins.
        #""kind":"paused","realtimeUsec":1,"endedBy":{"kind":"service"}"#,
    ])
    func failedListsNothingThatIsWell(_ pause: String) throws {
        let reply = """
            {"service":"lantern","state":"background","lastWord":{\(pause)},\
            "listeners":[{"name":"disk","health":"unknown","healthReason":"Health= has not run yet"}],\
            "transition":{"trigger":"stop","origin":{"kind":"service"},"waitingFor":["disk"]}}
            """

        #expect(try failed(reply: reply) == .init(status: 0, output: "", errors: ""))
        let listeners = try #require(try? JSONValue(json: Array(reply.utf8)).objectValue)
        #expect(ListenerRecords.health(listeners, of: [:], isActive: false) == "unknown")
        let old: JSONObject = ["listeners": [["name": "shop", "health": "healthy", "healthyUsec": 1]]]
        #expect([true, false].map { ListenerRecords.health(old, of: [:], isActive: $0) } == ["healthy", "unknown"])
    }

    @Test func serviceThatDoesNotTellOfItsListenersIsNotWell() throws {
        let service = try PlayedService(at: "lantern/io.belfry.Lifecycle")
        let program = try ChildProgram(
            "belfryctl", ["list", "--failed"], environment: ["XDG_RUNTIME_DIR": service.folder.url.path])
        let connection = try service.acceptCall()
        service.reply(connection, #"{"parameters":{"service":"lantern","state":"active"}}"#)
        for _ in ["ListHolds", "ListListeners"] {
            _ = try service.call(on: connection)
            service.reply(connection, #"{"error":"org.example.Busy"}"#)
        }

        let done = program.end()

        #expect(done.status == 1 && done.errors.contains("the service answered 'org.example.Busy'"), "\(done)")
    }

    @Test func nameOfOneServiceIsRefused() throws {
        let done = try ChildProgram("belfryctl", ["list", "-i", "video"]).end()

        #expect(done.status == 64)
        #expect(
            done.errors.hasPrefix("Error: --socket and --instance name one service, 'belfryctl status' shows it\n"))
    }
}
