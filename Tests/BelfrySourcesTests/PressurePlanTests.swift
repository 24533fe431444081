// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Lifecycle
import BelfrySources
import BelfryLinux
import Testing

struct PressurePlanTests {
    @Test func watchesWhatSystemdSays() throws {
        let plan = try PressurePlan(
            environment: ["MEMORY_PRESSURE_WATCH": "/p", "MEMORY_PRESSURE_WRITE": "ZnVsbCAxMDAwMDAgMjAwMDAwMAA="],
            group: "/group")

        #expect(plan.triggers.map(\.path) == ["/p"] && plan.triggers.map(\.level) == [.full])
        #expect(plan.triggers.map(\.setting) == [Array("full 100000 2000000\0".utf8)])
    }

    @Test func writesNothingUnlessTold() throws {
        let plan = try PressurePlan(environment: ["MEMORY_PRESSURE_WATCH": "/p"], group: nil)

        #expect(plan.triggers.map(\.setting) == [[]] && plan.triggers.map(\.level) == [.some])
    }

    @Test func fallsBackToTheFileOfTheGroup() throws {
        let plan = try PressurePlan(environment: ["MEMORY_PRESSURE_WATCH": ""], group: "/group")

        #expect(plan.triggers.map(\.path) == ["/group/memory.pressure", "/group/memory.pressure"])
        #expect(plan.triggers.map(\.level) == [.full, .some])
    }

    @Test func watchesNothingWhereThereIsNothingOrItIsSwitchedOff() throws {
        #expect(try PressurePlan(environment: [:], group: nil).triggers.isEmpty)
        #expect(try PressurePlan(environment: ["MEMORY_PRESSURE_WATCH": "/dev/null"], group: "/g").triggers.isEmpty)
    }

    @Test(arguments: [
        ["MEMORY_PRESSURE_WATCH": "relative"], ["MEMORY_PRESSURE_WATCH": "/p", "MEMORY_PRESSURE_WRITE": "no*base64"],
    ])
    func refusesNonsense(environment: [String: String]) {
        #expect(throws: SystemError.self) { try PressurePlan(environment: environment, group: "/group") }
    }
}
