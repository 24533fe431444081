// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Lifecycle
import MediatorModel
import Testing

struct LifecycleStateMachineTests {
    /// The table is that of the model, by which it knows what the mediator has to do.
    @Test(arguments: LifecycleState.allCases, LifecycleTrigger.allCases)
    func stepsMatchTheTable(state: LifecycleState, trigger: LifecycleTrigger) {
        for isPaused in [false, true] {
            let steps = LifecycleStateMachine(state: state).steps(for: trigger, isPaused: isPaused)
            let expected = StateTable.steps(state, trigger, isPaused: isPaused)

            #expect(steps.map(\.name) == expected.map(\.name))
            #expect(steps.map(\.from) == expected.map(\.from) && steps.map(\.to) == expected.map(\.to))
        }
    }
}
