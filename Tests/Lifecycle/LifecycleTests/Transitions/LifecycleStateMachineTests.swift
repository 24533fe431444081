// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Lifecycle
import Testing

struct LifecycleStateMachineTests {
    /// What each trigger owes in each state, as «NOTIFICATION>STATE …», and "" if it has no effect.
    nonisolated static let grid: [LifecycleTrigger: [LifecycleState: String]] = [
        .launch: [.notRunning: "willFinishLaunching>inactive didFinishLaunching>inactive didBecomeActive>active"],
        .refuseLaunch: [.inactive: "willTerminate>notRunning"],
        .pause: [
            .inactive: "didEnterBackground>background",
            .active: "willResignActive>inactive didEnterBackground>background",
        ],
        .resume: [
            .inactive: "didBecomeActive>active",
            .background: "willEnterForeground>inactive didBecomeActive>active",
            .suspended: "didResume>background willEnterForeground>inactive didBecomeActive>active",
        ],
        .continued: [
            .inactive: "didBecomeActive>active", .active: "didResume>active",
            .background: "willEnterForeground>inactive didBecomeActive>active",
            .suspended: "didResume>background willEnterForeground>inactive didBecomeActive>active",
        ],
        .interrupt: [.active: "willResignActive>inactive"],
        .suspend: [.background: "-suspended"],
        .endSuspension: [
            .inactive: "didResume>inactive",
            .active: "didResume>active",
            .background: "didResume>background willEnterForeground>inactive didBecomeActive>active",
            .suspended: "didResume>background willEnterForeground>inactive didBecomeActive>active",
        ],
        .reload: [
            .inactive: "willReload>inactive didReload>inactive",
            .active: "willReload>active didReload>active",
            .background: "willReload>background didReload>background",
            .suspended: "willReload>suspended didReload>suspended",
        ],
        .stop: [
            .inactive: "didEnterBackground>background willTerminate>notRunning",
            .active: "willResignActive>inactive didEnterBackground>background willTerminate>notRunning",
            .background: "willTerminate>notRunning",
            .suspended: "willTerminate>notRunning",
        ],
    ]

    @Test(arguments: LifecycleState.allCases, LifecycleTrigger.allCases)
    func stepsMatchTheTable(state: LifecycleState, trigger: LifecycleTrigger) {
        let text = text(of: LifecycleStateMachine(state: state).steps(for: trigger))

        #expect(text == Self.grid[trigger]?[state] ?? "")
    }

    @Test(arguments: LifecycleState.allCases, LifecycleTrigger.allCases)
    func onlyALaunchDependsOnAnEarlierPause(state: LifecycleState, trigger: LifecycleTrigger) {
        let text = text(of: LifecycleStateMachine(state: state).steps(for: trigger, isPaused: true))

        let launch = "willFinishLaunching>inactive didFinishLaunching>inactive didEnterBackground>background"
        #expect(text == (state == .notRunning && trigger == .launch ? launch : Self.grid[trigger]?[state] ?? ""))
    }

    private func text(of steps: [LifecycleStep]) -> String {
        steps.map { step in step.name.map { "\($0)>\(step.to)" } ?? "-\(step.to)" }.joined(separator: " ")
    }

    @Test(arguments: LifecycleState.allCases, LifecycleTrigger.allCases)
    func stepsConnectWithoutGaps(state: LifecycleState, trigger: LifecycleTrigger) {
        var machine = LifecycleStateMachine(state: state)

        for step in machine.steps(for: trigger) {
            #expect(step.from == machine.state || step.name == .didResume)
            machine.apply(step)
            #expect(machine.state == step.to)
        }
    }
}
