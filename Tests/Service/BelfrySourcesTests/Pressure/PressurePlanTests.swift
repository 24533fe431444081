// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryLinux
import BelfrySources
import Lifecycle
import Testing

struct PressurePlanTests {
    @Test func planHasThePathAndTheSettingOfSystemd() throws {
        let triggers = try PressurePlan.triggers(
            environment: ["MEMORY_PRESSURE_WATCH": "/p", "MEMORY_PRESSURE_WRITE": "ZnVsbCAxMDAwMDAgMjAwMDAwMAA="],
            group: "/group")

        #expect(triggers.map(\.path) == ["/p"] && triggers.map(\.level) == [.full])
        #expect(triggers.map(\.setting) == [Array("full 100000 2000000\0".utf8)])
    }

    @Test func planWritesNothingWithoutASetting() throws {
        let triggers = try PressurePlan.triggers(environment: ["MEMORY_PRESSURE_WATCH": "/p"], group: nil)

        #expect(triggers.map(\.setting) == [[]] && triggers.map(\.level) == [.some])
    }

    @Test func planFallsBackToTheControlGroup() throws {
        let triggers = try PressurePlan.triggers(environment: ["MEMORY_PRESSURE_WATCH": ""], group: "/group")

        #expect(triggers.map(\.path) == ["/group/memory.pressure", "/group/memory.pressure"])
        #expect(triggers.map(\.level) == [.full, .some])
    }

    @Test func planIsEmptyWithoutAGroupOrWhenSwitchedOff() throws {
        #expect(try PressurePlan.triggers(environment: [:], group: nil).isEmpty)
        #expect(try PressurePlan.triggers(environment: ["MEMORY_PRESSURE_WATCH": "/dev/null"], group: "/g").isEmpty)
    }

    @Test(arguments: [
        ["MEMORY_PRESSURE_WATCH": "relative"], ["MEMORY_PRESSURE_WATCH": "/p", "MEMORY_PRESSURE_WRITE": "no*base64"],
    ])
    func invalidVariablesAreRefused(environment: [String: String]) {
        #expect(throws: SystemError.self) {
            try PressurePlan.triggers(environment: environment, group: "/group")
        }
    }
}
