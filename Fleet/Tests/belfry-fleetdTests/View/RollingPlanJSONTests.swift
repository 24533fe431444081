// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryJSON
import Testing

@testable import belfry_fleetd

/// A plan after a restart of the program.
struct RollingPlanJSONTests {
    @Test(arguments: [
        FleetCommand.Action.pause, .reload, .post(name: "x.y", userInfo: ["a": 1]), .post(name: "z", userInfo: [:]),
    ])
    func orderIsReadBack(action: FleetCommand.Action) {
        let order = RollingPlan.Order(
            action: action, hosts: ["h1", "h2"], awayMax: 2, healthy: .seconds(1), timeout: .seconds(2),
            pause: .seconds(3))

        #expect(RollingPlan(json: RollingPlan(order).json)?.order == order)
    }

    @Test func planThatWasRestartedHasStopped() throws {
        var roll = Roll(.reload, upTo: .answered)
        _ = roll.wake(after: 10)

        roll.plan = try #require(RollingPlan(json: roll.plan.json))

        #expect(!roll.plan.isRunning)
        #expect(roll.plan.ending == .stopped("belfry-fleetd was restarted"))
        #expect(roll.plan.viewReturned() == [])
        #expect(roll.begin() == ["sent h2", "reload to h2"])
    }

    @Test(arguments: [Roll.Progress.told, .answered, .resuming])
    func hostUnderWayIsBroughtBackAfterARestart(progress: Roll.Progress) throws {
        var roll = Roll(.pause, upTo: progress)

        roll.plan = try #require(RollingPlan(json: roll.plan.json))

        #expect(roll.plan.owesResume)
        #expect(roll.plan.viewReturned().words == ["resume to h1"])
        #expect(roll.answer() == [])
        #expect(!roll.plan.owesResume)
        #expect(roll.begin() == [])
        #expect(roll.wake(after: 10) == ["healthy h1", "sent h2", "pause to h2"])
    }

    @Test func reasonOfAStopOutlivesARestart() throws {
        var roll = Roll(.reload, upTo: .told)
        _ = roll.answer(.failed, "no")

        #expect(try #require(RollingPlan(json: roll.plan.json)).ending == .stopped("reload: failed: no"))
    }

    @Test(arguments: [
        "", "[]", "{}", #"{"version":2}"#,
        #"{"version":1,"command":"halt","hosts":["a"],"away":1,"healthyUsec":1,"timeoutUsec":1,"pauseUsec":1,"place":0,"phase":"waiting"}"#,
        #"{"version":1,"command":"pause","hosts":[],"away":1,"healthyUsec":1,"timeoutUsec":1,"pauseUsec":1,"place":0,"phase":"waiting"}"#,
        #"{"version":1,"command":"pause","hosts":["a"],"away":1,"healthyUsec":1,"timeoutUsec":1,"pauseUsec":1,"place":1,"phase":"waiting"}"#,
        #"{"version":1,"command":"pause","hosts":["a"],"away":1,"healthyUsec":1,"timeoutUsec":1,"pauseUsec":1,"place":0,"phase":"flying"}"#,
        #"{"version":1,"command":"pause","hosts":["a/b"],"away":1,"healthyUsec":-1,"timeoutUsec":1,"pauseUsec":1,"place":0,"phase":"paused"}"#,
    ])
    func otherTextIsNoPlan(text: String) {
        #expect(RollingPlan(json: Array(text.utf8)) == nil)
    }
}
