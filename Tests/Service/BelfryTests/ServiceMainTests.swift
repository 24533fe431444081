// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryConfiguration
import CBelfry
import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(2)))
struct ServiceMainTests {
    let fixture = DaemonFixture()

    @Test func serviceManagerIsNotifiedOfEachStateChange() throws {
        let daemon = try fixture.start()

        #expect(fixture.manager.nextOfLife() == ["STATUS=launching"])
        #expect(fixture.manager.nextOfLife() == ["READY=1", "STATUS=active"])
        let before = belfry_clock_usec(CLOCK_MONOTONIC)
        daemon.send(SIGHUP)
        let reloading = fixture.manager.nextOfLife()
        #expect(reloading.first == "RELOADING=1")
        let usec = reloading.dropFirst().first?.wholeMatch(of: /MONOTONIC_USEC=([0-9]+)/).flatMap { UInt64($0.1) }
        #expect(try (before...belfry_clock_usec(CLOCK_MONOTONIC)).contains(#require(usec)))
        #expect(fixture.manager.nextOfLife() == ["READY=1", "STATUS=active, configuration reloaded"])
        daemon.send(SIGTERM)
        #expect(fixture.manager.nextOfLife().first == "STOPPING=1")
        #expect(fixture.manager.nextOfLife().first == "EXIT_STATUS=0")

        #expect(daemon.finish().status == 0)
    }

    @Test func asynchronousMainIsRefusedWithWhatToWrite() throws {
        let service = try fixture.start("AsyncMainProbe", [])

        let (lines, status) = service.finish()

        #expect(lines.count == 1)
        #expect(lines.first?.hasPrefix("async-main: unable to run the service from an async main") == true)
        #expect(lines.first?.contains("write 'static func main()' without 'async'") == true)
        #expect(status == 71)
    }

    @Test func selfRegisteredListenerCanBeDisabled() throws {
        func listeners(_ configuration: String) throws -> [String] {
            let service = try fixture.startReady("ServiceProbe", ["hang"], configuration)
            service.send(SIGQUIT)
            return service.finish().lines.filter { $0.contains("registered") }
        }

        let present = try listeners("")
        let disabled = try listeners("[Service]\nDisabledListeners=registered unregistered\n")

        #expect(present.count == 1 && present[0].hasPrefix("probe: listener 'registered': "))
        #expect(
            disabled == ["probe: no listener 'unregistered' of DisabledListeners= registered itself, ignoring"])
    }

    @Test func invalidStateIsRenamedAndReported() throws {
        try fixture.directory.write("state", "nonsense")
        let service = try fixture.start("ServiceProbe", ["count"])

        let lines = service.lines(until: "launch ")

        #expect(lines.contains { $0.contains("unable to restore state: ") && $0.hasSuffix("starting clean") })
        #expect(lines.last == "launch 1")
        #expect(service.stop().status == 0)
        #expect(FileManager.default.fileExists(atPath: fixture.directory.path("state.refused")))
    }

    @Test func pauseIsAnsweredBeforeTheSelfSuspension() throws {
        let daemon = try fixture.startReady("[Service]\nStopOnPause=yes\n")

        let pause = try fixture.control(["pause"])
        try daemon.wait(for: "T")
        daemon.send(SIGCONT)
        daemon.lines(until: "didBecomeActive inactive -> active, SIGCONT")

        #expect(pause.lines == ["paused (background)"])
        #expect(daemon.stop().status == 0)
    }

    /// A reload removes the handler, and not what reads the signal beside it.
    @Test func signalThatAnotherPartReadsDegradesTheHealthForGood() throws {
        let service = try fixture.startReady("ServiceProbe", ["handler"])

        let warning = service.lines(until: "is degraded").last
        let reason = "another part of the program reads SIGHUP (reload), the service may not get them"

        #expect(warning == "probe: listener 'configuration' is degraded: \(reason)")
        #expect(try fixture.control("reload").status == 0)
        #expect(try fixture.control("is-active").status == 1)
        #expect(service.stop().status == 0)
    }

    /// The probe handles SIGHUP, and nothing else would let it live.
    @Test func handlerOfAnotherPartOfAnIgnoredSignalStays() throws {
        let service = try fixture.startReady("ServiceProbe", ["handler"], "[Signals]\nHUP=ignore\n")
        let before = try service.handledSignals()

        #expect(try fixture.control("reload").status == 0)

        #expect(try before != 0 && service.handledSignals() == before)
        #expect(service.stop().status == 0)
    }

    @Test func unmappedSignalChangesNothing() throws {
        let daemon = try fixture.startReady("[Signals]\nHUP=ignore\n")
        for signal in [SIGHUP, SIGALRM, __libc_current_sigrtmin() + 3] { daemon.send(signal) }
        daemon.send(SIGUSR1)

        let lines = daemon.lines(until: "flushRequested")

        #expect(!lines.contains { $0.contains("SIGHUP") || $0.contains("SIGALRM") || $0.contains("SIGRTMIN") })
        #expect(daemon.stop().status == 0)
    }

    @Test func flushTrimsOnAThreadThatEnds() throws {
        let cache = fixture.directory.url.appendingPathComponent("cache")
        try FileManager.default.createDirectory(at: cache, withIntermediateDirectories: false)
        try Data("Signature: 8a477f597d28d172789f06886806bc55\n".utf8).write(
            to: cache.appendingPathComponent("CACHEDIR.TAG"))
        for name in ["a", "b", "c"] { try Data(count: 10).write(to: cache.appendingPathComponent(name)) }
        let daemon = try fixture.startReady("[Cache test]\nPath=\(cache.path)\nFilesMax=1\nWriteBack=no\n")

        daemon.send(SIGUSR1)
        let report = daemon.lines(until: "cacheFlush: 'test'")
        while try FileManager.default.contentsOfDirectory(atPath: "/proc/\(daemon.pid)/task").count > 1 {
            sched_yield()
        }

        #expect(report.last?.contains("removed 2 of 3 files, freed ") == true)
        #expect(try FileManager.default.contentsOfDirectory(atPath: cache.path).count == 2)
        #expect(daemon.stop().status == 0)
    }

    /// The observations are not stored by the program. One request differs from the next one in the journal.
    @Test func serviceObservesAndLogsEventsOfItsOwn() throws {
        let service = try fixture.startReady("ServiceProbe", ["events"])

        service.send(SIGUSR1)
        let lines = service.lines(until: "done")

        #expect(lines.contains("flush observed") && lines.contains("served /a") && lines.contains("quiet"))
        #expect(lines.contains { $0.hasSuffix("Served, the service itself, GET /a 200") })
        #expect(lines.contains { $0.hasSuffix("Served, the service itself, GET /b 404") })
        #expect(!lines.contains { $0.contains("Quiet") })
        #expect(lines.contains("threads after the first wait: 1"))
        #expect(lines.last == #"done, ["probe"]"#)
        #expect(service.stop().status == 0)
    }
}
