// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfrySources
import Lifecycle
import Testing

struct LaunchOptionsEnvironmentTests {
    @Test func emptyEnvironmentGivesDefaultOptions() {
        #expect(LaunchOptions(environment: [:]) == LaunchOptions())
        #expect(LaunchOptions(environment: ["TRIGGER_UNIT": "", "TRIGGER_PATH": ""]) == LaunchOptions())
    }

    @Test func triggerIsAPathOrATimer() {
        let path = LaunchOptions(environment: ["TRIGGER_UNIT": "inbox.path", "TRIGGER_PATH": "/run/inbox"])
        let timer = LaunchOptions(environment: ["TRIGGER_UNIT": "nightly.timer"])

        #expect(path.triggerUnit == "inbox.path" && path.triggerPath == "/run/inbox")
        #expect(timer.triggerUnit == "nightly.timer" && timer.triggerPath == nil)
    }

    @Test func exitIsRead() {
        let environment = ["SERVICE_RESULT": "watchdog", "EXIT_CODE": "killed", "EXIT_STATUS": "ABRT"]

        #expect(UnitExit(environment: environment)?.description == "watchdog, killed by SIGABRT")
        #expect(UnitExit(environment: ["SERVICE_RESULT": ""]) == nil)
        #expect(UnitExit(environment: ["SERVICE_RESULT": "resources"])?.description == "resources")
        #expect(
            UnitExit(environment: ["SERVICE_RESULT": "success", "EXIT_CODE": "exited", "EXIT_STATUS": "0"])?.description
                == "success, status 0")
    }
}
