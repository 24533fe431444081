// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryLinux
import BelfrySources
import Lifecycle
import Testing

struct PressurePlanTests {
    @Test func planHasThePathAndTheSettingOfSystemd() throws {
        let triggers = try PressurePlan.triggers(
            of: .memory,
            environment: ["MEMORY_PRESSURE_WATCH": "/p", "MEMORY_PRESSURE_WRITE": "ZnVsbCAxMDAwMDAgMjAwMDAwMAA="],
            group: "/group")

        #expect(triggers.map(\.path) == ["/p"] && triggers.map(\.level) == [.full])
        #expect(triggers.map(\.setting) == [Array("full 100000 2000000\0".utf8)])
    }

    @Test func planWritesNothingWithoutASetting() throws {
        let triggers = try PressurePlan.triggers(of: .memory, environment: ["MEMORY_PRESSURE_WATCH": "/p"], group: nil)

        #expect(triggers.map(\.setting) == [[]] && triggers.map(\.level) == [.some])
    }

    @Test func planFallsBackToTheControlGroup() throws {
        let triggers = try PressurePlan.triggers(
            of: .memory, environment: ["MEMORY_PRESSURE_WATCH": ""], group: "/group")

        #expect(triggers.map(\.path) == ["/group/memory.pressure", "/group/memory.pressure"])
        #expect(triggers.map(\.level) == [.full, .some])
    }

    @Test(arguments: [PressureResource.cpu, .io])
    func otherResourcesHaveVariablesAndFilesOfTheirOwn(resource: PressureResource) throws {
        let name = resource.rawValue
        let environment = ["\(name.uppercased())_PRESSURE_WATCH": "/p", "MEMORY_PRESSURE_WATCH": "/m"]

        let named = try PressurePlan.triggers(of: resource, environment: environment, group: "/group")
        let own = try PressurePlan.triggers(of: resource, environment: [:], group: "/group")

        #expect(named.map(\.path) == ["/p"])
        #expect(own.map(\.path) == ["/group/\(name).pressure", "/group/\(name).pressure"])
    }

    @Test func planIsEmptyWithoutAGroupOrWhenSwitchedOff() throws {
        #expect(try PressurePlan.triggers(of: .memory, environment: [:], group: nil).isEmpty)
        #expect(
            try PressurePlan.triggers(of: .memory, environment: ["MEMORY_PRESSURE_WATCH": "/dev/null"], group: "/g")
                .isEmpty)
    }

    @Test(arguments: [
        ["MEMORY_PRESSURE_WATCH": "relative"], ["MEMORY_PRESSURE_WATCH": "/p", "MEMORY_PRESSURE_WRITE": "no*base64"],
    ])
    func invalidVariablesAreRefused(environment: [String: String]) {
        #expect(throws: SystemError.self) {
            try PressurePlan.triggers(of: .memory, environment: environment, group: "/group")
        }
    }
}
