// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfrySources
import Lifecycle
import Testing

struct LaunchSourceTests {
    @Test func emptyEnvironmentGivesDefaultOptions() {
        #expect(LaunchOptions(environment: [:]) == LaunchOptions())
        #expect(LaunchOptions(environment: ["TRIGGER_UNIT": "", "MONITOR_UNIT": ""]) == LaunchOptions())
    }

    @Test func descriptorsAreSocketsOrStored() {
        let options = LaunchOptions(
            environment: [:], descriptors: [("varlink", false), ("subscriber-7", true), ("http", false)])

        #expect(options.socketNames == ["varlink", "http"])
        #expect(options.storedNames == ["subscriber-7"])
    }

    @Test func triggerIsAPathOrATimer() {
        let path = LaunchOptions(environment: ["TRIGGER_UNIT": "inbox.path", "TRIGGER_PATH": "/run/inbox"])
        let timer = LaunchOptions(environment: [
            "TRIGGER_UNIT": "nightly.timer", "TRIGGER_TIMER_REALTIME_USEC": "1767358802123456",
            "TRIGGER_TIMER_MONOTONIC_USEC": "77000000",
        ])

        #expect(path.triggerUnit == "inbox.path" && path.triggerPath == "/run/inbox")
        #expect(path.triggerRealtime == nil && path.triggerMonotonic == nil)
        #expect(timer.triggerUnit == "nightly.timer" && timer.triggerPath == nil)
        #expect(timer.triggerRealtime == .microseconds(1_767_358_802_123_456))
        #expect(timer.triggerMonotonic == .microseconds(77_000_000))
    }

    @Test func monitoredUnitHasItsExit() {
        let options = LaunchOptions(environment: [
            "MONITOR_UNIT": "backup.service", "MONITOR_INVOCATION_ID": "0123", "MONITOR_SERVICE_RESULT": "exit-code",
            "MONITOR_EXIT_CODE": "exited", "MONITOR_EXIT_STATUS": "3",
        ])

        #expect(
            options.monitored
                == MonitoredUnit(
                    unit: "backup.service", invocationID: "0123",
                    exit: UnitExit(result: "exit-code", code: "exited", status: "3")))
    }

    @Test func identityAndCredentialsAreRead() {
        let options = LaunchOptions(
            environment: [
                "INVOCATION_ID": "abcd", "SYSTEMD_EXEC_PID": "42", "CREDENTIALS_DIRECTORY": "/run/credentials/x",
            ], credentials: ["token", "key"])

        #expect(options.invocationID == "abcd" && options.execPID == 42)
        #expect(options.credentialsDirectory == "/run/credentials/x" && options.credentialNames == ["key", "token"])
    }

    @Test(arguments: ["", "x", "-1", "99999999999999999999999", "1 "])
    func invalidNumberCountsAsNotSet(_ text: String) {
        let options = LaunchOptions(environment: ["TRIGGER_TIMER_REALTIME_USEC": text, "SYSTEMD_EXEC_PID": "\(text)y"])

        #expect(options.triggerRealtime == nil && options.execPID == nil)
    }

    @Test func exitIsReadWithAndWithoutPrefix() {
        let environment = ["SERVICE_RESULT": "watchdog", "EXIT_CODE": "killed", "EXIT_STATUS": "ABRT"]

        #expect(UnitExit(environment: environment)?.description == "watchdog, killed by SIGABRT")
        #expect(UnitExit(environment: environment, prefix: "MONITOR_") == nil)
        #expect(UnitExit(environment: ["SERVICE_RESULT": "resources"])?.description == "resources")
        #expect(
            UnitExit(environment: ["SERVICE_RESULT": "success", "EXIT_CODE": "exited", "EXIT_STATUS": "0"])?.description
                == "success, status 0")
    }
}
