// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

@testable import BelfrySystemd
import Testing

struct UnitEndingTests {
    @Test(arguments: [
        ("stop", UnitEnding.Job.stop), ("restart", .restart), ("try-restart", .restart), ("reload", nil),
        ("start", nil),
    ])
    func onlyJobsThatEndTheUnitCount(type: String, expected: UnitEnding.Job?) {
        let ending = UnitEnding(of: "a.service", jobs: Self.jobs(["a.service": type, "b.service": "stop"]))

        #expect(ending == UnitEnding(job: expected, shutdown: nil))
    }

    @Test(
        arguments: [
            ("active", "stop", ApplicationEnding.job(.stop)), ("active", "try-restart", .job(.restart)),
            ("active", "reload", .none), ("active", nil, .none), ("reloading", "stop", .job(.stop)),
            // A crash: systemd starts it again with a restart job.
            ("activating", "restart", .over(result: "signal")), ("failed", nil, .over(result: "signal")),
            ("deactivating", "stop", .over(result: "signal")),
        ] as [(String, String?, ApplicationEnding)])
    func theEndOfAnApplicationIsItsJobWhileItRuns(state: String, job: String?, expected: ApplicationEnding) {
        let jobs = Self.jobs(["b.service": "stop"].merging(job.map { ["a.service": $0] } ?? [:]) { $1 })

        #expect(ApplicationEnding(of: "a.service", activeState: state, jobs: jobs, result: "signal") == expected)
    }

    @Test(arguments: ShutdownKind.allCases)
    func shutdownIsTheStartedTarget(kind: ShutdownKind) {
        let jobs = Self.jobs(["a.service": "stop", kind.target: "start"])

        #expect(UnitEnding(of: "a.service", jobs: jobs) == UnitEnding(job: .stop, shutdown: kind))
    }

    private static func jobs(_ types: [String: String]) -> [String: UnitJob] {
        types.mapValues { UnitJob(type: $0, number: 0, path: "/") }
    }

    @Test func stoppedTargetIsNoShutdown() {
        let ending = UnitEnding(of: "a.service", jobs: Self.jobs(["reboot.target": "stop"]))

        #expect(ending.shutdown == nil)
    }

    @Test(arguments: [
        ("reboot", ShutdownKind.reboot), ("poweroff", .powerOff), ("halt", .halt), ("kexec", .kexec),
        ("soft-reboot", .softReboot), ("sleep", nil),
    ])
    func logindVerbGivesTheKind(text: String, expected: ShutdownKind?) {
        #expect(ShutdownKind(rawValue: text) == expected)
    }

    @Test(arguments: [
        (["/usr/lib/systemd/systemd-shutdown", "reboot", "--timeout", "90000000us"], ShutdownKind.reboot),
        (["/lib/systemd/systemd-shutdown", "poweroff"], .powerOff), (["systemd-shutdown", "exit"], nil),
        (["/usr/lib/systemd/systemd-shutdown"], nil), (["/lib/systemd/systemd", "reboot"], nil), ([], nil),
    ])
    func argumentsOfTheShutdownProgramGiveTheKind(arguments: [String], expected: ShutdownKind?) {
        #expect(ShutdownKind(shutdownProgram: arguments) == expected)
    }
}
