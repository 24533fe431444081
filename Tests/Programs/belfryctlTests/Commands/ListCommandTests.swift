// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

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

    @Test func hangingServiceIsNamedAndDoesNotHideTheOthers() throws {
        let directory = try TemporaryDirectory()
        try directory.write("lantern/x", "")
        try directory.write("stuck/x", "")
        let service = try ChildProgram("LifecycleServiceProbe", [directory.path("lantern/io.belfry.Lifecycle")])
        #expect(service.line() == "ready")
        let stuck = belfry_unix_listen(directory.path("stuck/io.belfry.Lifecycle"), 1)
        defer { close(stuck) }

        let done = try ChildProgram(
            "belfryctl", ["list", "--timeout", "200ms", "--json"],
            environment: ["XDG_RUNTIME_DIR": directory.url.path]
        ).end()

        #expect(done.status == 0)
        #expect(done.output.contains(#""service":"lantern""#))
        #expect(done.output.contains(#""socket":"\#(directory.path("lantern/io.belfry.Lifecycle"))""#))
        let path = directory.path("stuck/io.belfry.Lifecycle")
        #expect(done.errors.contains("belfryctl: unable to get the state of '\(path)': no answer in 200 ms\n"))
    }

    @Test func nameOfOneServiceIsRefused() throws {
        let done = try ChildProgram("belfryctl", ["list", "-i", "video"]).end()

        #expect(done.status == 64)
        #expect(
            done.errors.hasPrefix("Error: --socket and --instance name one service, 'belfryctl status' shows it\n"))
    }
}
