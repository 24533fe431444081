// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(2)))
struct ExitRecordProcessTests {
    let fixture = DaemonFixture()

    /// The record of the last run, as JSON.
    private func record() throws -> [String: Any] {
        let data = try Data(contentsOf: URL(fileURLWithPath: fixture.directory.path("last-word")))
        return try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    }

    /// Starts the next process, and returns its first line.
    private func firstLineOfNextLaunch(
        _ program: String = "ServiceProbe", _ arguments: [String]? = ["plain"]
    ) throws -> String {
        let next = try fixture.start(program, arguments)
        let line = next.lines(until: "willFinishLaunching").last ?? ""
        next.send(SIGKILL)
        _ = next.finish()
        return line
    }

    private func exitRecord() throws -> [String: Any] { try #require(try record()["lastWord"] as? [String: Any]) }

    private func origin(_ key: String, _ record: [String: Any]) -> [String: Any] {
        record[key] as? [String: Any] ?? [:]
    }

    @Test func hurriedStopLeavesAnExitRecord() throws {
        let service = try fixture.startReady("ServiceProbe", ["hang"])
        #expect(try record()["lastWord"] == nil)

        service.send(SIGTERM)
        service.lines(until: "willTerminate")
        // The log record precedes the exit record.
        while try exitRecord()["reason"] == nil { sched_yield() }
        let early = try exitRecord()
        service.send(SIGCONT)
        service.send(SIGINT)
        #expect(service.finish().status == 128 + SIGINT)
        let late = try exitRecord()

        #expect(early["kind"] as? String == "stopping" && early["reason"] as? String == "signal")
        #expect(late["kind"] as? String == "stopped" && late["exitStatus"] as? Int == 130)
        #expect(origin("origin", late)["signal"] as? String == "SIGTERM")
        #expect(origin("origin", late)["pid"] as? Int == Int(getpid()))
        #expect(origin("cutShortBy", late)["signal"] as? String == "SIGINT")
        let times = try #require(late["listeners"] as? [[String: Any]])
        #expect(times.contains { $0["listener"] as? String == "probe" && $0["outcome"] as? String == "overran" })
        #expect(try firstLineOfNextLaunch().hasSuffix(", after failure"))
    }

    /// The unit is restarted after a failure, also where `SuccessExitStatus=143` is set.
    @Test(arguments: [SIGTERM, SIGQUIT])
    func failureIsTheCauseOfTheEndWhateverFollows(signal: Int32) throws {
        let service = try fixture.startReady("ServiceProbe", ["fail=2"])
        service.send(SIGUSR1)
        service.lines(until: "willTerminate")

        service.send(signal)

        #expect(service.finish().status == 70)
        let record = try exitRecord()
        #expect(record["exitStatus"] as? Int == 70 && (record["problem"] as? String)?.contains("'disk'") == true)
        let end = fixture.manager.messages(until: "EXIT_STATUS=70").last
        #expect(end?.dropFirst() == ["STATUS=failed: unable to read 'disk': Input/output error (EIO)", "ERRNO=5"])
    }

    @Test(arguments: [("", 0), ("LateStopExitStatus=75\n", 75)])
    func lateStopHasTheConfiguredExitStatusAndNamesTheListener(_ setting: String, _ status: Int32) throws {
        let service = try fixture.startReady("ServiceProbe", ["hang"], "[Service]\nStopTimeout=100ms\n\(setting)")

        #expect(service.stop().status == status)

        let record = try exitRecord()
        #expect(record["exitStatus"] as? Int == Int(status))
        let times = try #require(record["listeners"] as? [[String: Any]])
        #expect(times.contains { $0["listener"] as? String == "probe" && $0["outcome"] as? String == "overran" })
    }

    @Test func stopInTimeIgnoresTheExitStatusOfALateOne() throws {
        let service = try fixture.startReady("ServiceProbe", ["slow=0"], "[Service]\nLateStopExitStatus=75\n")

        #expect(service.stop().status == 0)
    }

    @Test func refusedConfigurationLeavesAnExitRecord() throws {
        let daemon = try fixture.start("belfryd", nil, "[Signals]\nUSR3=stop\n")
        #expect(daemon.finish().status == 78)

        let exitRecord = try exitRecord()
        #expect(exitRecord["kind"] as? String == "stopped" && exitRecord["exitStatus"] as? Int == 78)
        #expect(exitRecord["reason"] as? String == "launchRefused")
        #expect((exitRecord["problem"] as? String)?.contains("unknown signal 'USR3'") == true)
        #expect(try firstLineOfNextLaunch("belfryd", nil).hasSuffix(", after failure"))
    }

    @Test func refusedLaunchLeavesAnExitRecord() throws {
        _ = try fixture.start("ServiceProbe", ["refuse"]).finish()

        let exitRecord = try exitRecord()

        #expect(exitRecord["kind"] as? String == "stopped" && exitRecord["reason"] as? String == "launchRefused")
        #expect(exitRecord["problem"] as? String == "probe: not today" && exitRecord["exitStatus"] as? Int == 71)
    }

    @Test func exitIsRecordedWithItsInvocation() throws {
        let environment = [
            "STATE_DIRECTORY": fixture.directory.url.path, "INVOCATION_ID": "0123", "SERVICE_RESULT": "watchdog",
            "EXIT_CODE": "killed", "EXIT_STATUS": "ABRT",
        ]
        let recorder = try ProbeProcess(
            "belfryd", ["--record-exit", "--config", "/dev/null"], environment: environment, reading: .error)

        let (lines, status) = recorder.finish()

        #expect(lines.isEmpty && status == 0)
        let data = try Data(contentsOf: URL(fileURLWithPath: fixture.directory.path("last-exit")))
        let exit = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        #expect(exit["invocationId"] as? String == "0123" && exit["result"] as? String == "watchdog")
        #expect(exit["code"] as? String == "killed" && exit["status"] as? String == "ABRT")
    }

    @Test func exitIsNotRecordedOutsideAUnit() throws {
        let (lines, status) = try ProbeProcess("belfryd", ["--record-exit"], reading: .error).finish()

        #expect(lines.count == 1 && lines[0].hasPrefix("belfryd: unable to record the exit: "))
        #expect(status == 64)
    }
}
