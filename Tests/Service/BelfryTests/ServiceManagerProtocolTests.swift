// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Foundation
import TestSupport
import Testing

/// The messages to the service manager, datagram by datagram.
@Suite(.timeLimit(.minutes(2)))
struct ServiceManagerProtocolTests {
    let fixture = DaemonFixture()

    @Test func absentManagerIsNoFailure() throws {
        let daemon = try fixture.start("belfryd", nil, "[Socket]\nEnabled=no\n", hasManager: false)
        daemon.lines(until: "didBecomeActive")

        let (lines, status) = daemon.stop()

        #expect(!lines.contains { $0.contains("service manager") })
        #expect(status == 0)
    }

    @Test func partsOfAUnitShareOneLineWithoutAManager() throws {
        let missing = fixture.directory.path("missing")
        let daemon = try fixture.start(environment: ["MEMORY_PRESSURE_WATCH": missing], hasManager: false)
        let lines = daemon.lines(until: "didBecomeActive").filter { $0.contains("unable to") }

        #expect(lines.count == 1)
        #expect(lines.first?.hasPrefix("belfryd: no service manager, doing without what a unit provides: ") == true)
        #expect(lines.first?.contains("unable to find '\(missing)': No such file or directory (ENOENT)") == true)
        #expect(daemon.stop().status == 0)
    }

    @Test func unreachableManagerIsReportedOnceAndRefusesNothing() throws {
        let missing = ["NOTIFY_SOCKET": fixture.directory.path("missing")]
        let daemon = try fixture.start("belfryd", nil, "[Socket]\nEnabled=no\n", environment: missing)
        var lines = daemon.lines(until: "didBecomeActive")
        daemon.send(SIGHUP)
        lines += daemon.lines(until: "didReload")
        let (rest, status) = daemon.stop()

        let problem = "unable to notify 'service manager': No such file or directory (ENOENT), going on"
        #expect((lines + rest).count { $0.contains(problem) } == 1)
        #expect(!(lines + rest).contains { $0.contains("failed at") })
        #expect(status == 0)
    }

    @Test func failureSendsItsErrorAndExitStatus() throws {
        let service = try fixture.startReady("ServiceProbe", ["fail"])
        service.send(SIGUSR1)

        let end = fixture.manager.messages(until: "EXIT_STATUS=70").last

        #expect(end?.dropFirst() == ["STATUS=failed: unable to read 'disk': Input/output error (EIO)", "ERRNO=5"])
        #expect(service.finish().status == 70)
    }

    @Test func refusedLaunchSendsItsReasonAndECANCELED() throws {
        let service = try fixture.start("ServiceProbe", ["refuse"])

        let end = fixture.manager.messages(until: "EXIT_STATUS=71").last

        #expect(end?.dropFirst() == ["STATUS=launch refused: probe: not today", "ERRNO=\(ECANCELED)"])
        #expect(service.finish().status == 71)
    }

    @Test func invalidConfigurationSendsItsFirstErrorAndEINVAL() throws {
        let daemon = try fixture.start("belfryd", nil, "[Signals]\nUSR3=stop\nUSR4=stop\n")

        let end = fixture.manager.messages(until: "EXIT_STATUS=78").last ?? []

        let file = fixture.directory.path("belfry.conf")
        #expect(
            end.dropFirst() == [
                "STATUS=configuration refused: \(file):2:1: error: unknown signal 'USR3', did you mean 'USR1'?, and 1 more",
                "ERRNO=\(EINVAL)",
            ])
        #expect(daemon.finish().status == 78)
    }

    @Test func unreadableConfigurationSendsTheErrorNumber() throws {
        let service = try fixture.start("ServiceProbe", ["plain", fixture.directory.path("missing.conf")])

        let end = fixture.manager.messages(until: "EXIT_STATUS=78").last

        #expect(end?.last == "ERRNO=\(ENOENT)")
        #expect(service.finish().status == 78)
    }

    @Test func pendingListenerIsNamedInTheStatus() throws {
        let service = try fixture.startReady("ServiceProbe", ["hang"], "[Service]\nStopTimeout=4s\n")
        service.send(SIGTERM)

        let messages = fixture.manager.messages(until: "EXIT_STATUS=0")

        #expect(messages.first?.first == "STOPPING=1")
        #expect(messages.dropFirst().first?.first?.hasSuffix(", waiting for 'probe'") == true)
        #expect(messages.last?.last?.hasSuffix(", late: 'probe'") == true)
        #expect(fixture.manager.messages(until: "BARRIER=1").last == ["BARRIER=1"])
        #expect(!messages.joined().contains { $0.hasPrefix("EXTEND_TIMEOUT_USEC=") })
        #expect(service.finish().status == 0)
    }

    @Test func listenersThatAPauseWaitsForAreNamedInTheStatus() throws {
        let service = try fixture.startReady("ServiceProbe", ["slowPause=2"])
        service.send(SIGTSTP)

        var messages: [String] = []
        repeat {
            messages.append(fixture.manager.next().last ?? "")
        } while messages.last != "" && messages.last?.hasPrefix("STATUS=paused (background) by SIGTSTP ") == false

        #expect(
            messages.contains {
                $0.hasPrefix("STATUS=pausing, asked by SIGTSTP ") && $0.contains("waiting for 'probe'")
            })
        #expect(messages.last != "")
        #expect(service.stop().status == 0)
    }

    @Test func progressOfAPostIsShownUntilItsEnd() throws {
        let service = try fixture.startReady("ServiceProbe", ["slowFlush=1"])
        service.send(SIGUSR1)

        let messages = fixture.manager.messages(until: "STATUS=active")

        #expect(messages.first?.first?.hasPrefix("STATUS=active, 'probe': step ") == true)
        #expect(!messages.joined().contains { $0.hasPrefix("EXTEND_TIMEOUT_USEC=") })
        #expect(service.stop().status == 0)
    }

    @Test func progressExtendsTheTimeoutBeforeItExpires() throws {
        let service = try fixture.startReady(
            "ServiceProbe", ["slow=4"], "[Service]\nStopTimeout=3s\nStopExtensionMax=10\n")
        service.send(SIGTERM)

        let messages = fixture.manager.messages(until: "EXIT_STATUS=0")

        let extensions = messages.filter { $0.first?.hasPrefix("EXTEND_TIMEOUT_USEC=") == true }
        #expect(!extensions.isEmpty)
        #expect(extensions.allSatisfy { $0.last?.contains("waiting for 'probe': step ") == true })
        #expect(messages.last?.last?.hasSuffix("uid \(getuid())") == true)
        #expect(service.finish().status == 0)
    }

    @Test func unhealthyListenerSuppressesTheWatchdogKeepAlive() throws {
        let service = try fixture.start(
            "ServiceProbe", ["frail"], "", environment: ["WATCHDOG_USEC": "400000"])
        #expect(fixture.manager.wait(for: "WATCHDOG=1"))
        service.send(SIGUSR1)
        let unwell = service.lines(until: "listener 'probe' is unhealthy")
        #expect(unwell.last?.hasSuffix("no disk") == true)
        service.send(SIGUSR1)
        service.lines(until: "listener 'probe' is healthy again")
        service.send(SIGUSR2)
        let lost = service.lines(until: "listener 'probe' is lost")
        let messages = fixture.manager.messages(until: "WATCHDOG=trigger")

        #expect(lost.last?.hasSuffix("no disk left") == true)
        let sick = messages.drop { $0.first?.contains("listener 'probe' is unhealthy: no disk") != true }
        let well = sick.dropFirst().first { $0 != ["WATCHDOG=1"] }
        #expect(sick.dropFirst().first == well)
        #expect(well == ["STATUS=active"])
        #expect(service.stop().status == 0)
    }
}
