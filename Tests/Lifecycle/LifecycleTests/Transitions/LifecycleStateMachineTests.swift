// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Lifecycle
import MediatorModel
import Testing

struct LifecycleStateMachineTests {
    /// The table is that of the model, by which it knows what the mediator has to do.
    @Test(arguments: LifecycleState.allCases, LifecycleTrigger.allCases)
    func stepsMatchTheTable(state: LifecycleState, trigger: LifecycleTrigger) {
        for (isPaused, hasFailedPause) in [(false, false), (true, false), (false, true)] {
            var machine = LifecycleStateMachine(state: state)
            machine.hasFailedPause = hasFailedPause
            let steps = machine.steps(for: trigger, isPaused: isPaused)
            let expected = StateTable.steps(state, trigger, isPaused: isPaused, hasFailedPause: hasFailedPause)

            #expect(steps.map(\.name) == expected.map(\.name))
            #expect(steps.map(\.from) == expected.map(\.from) && steps.map(\.to) == expected.map(\.to))
        }
    }

    @Test func aFailedPauseEndsWithTheLifeThatItWasIn() {
        var machine = LifecycleStateMachine(state: .background)
        machine.hasFailedPause = true
        for step in machine.steps(for: .stop) { machine.apply(step) }

        #expect(machine.state == .notRunning && !machine.hasFailedPause)
    }
}
