// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Lifecycle

/// A trigger that was accepted, as the model knows it.
final class ModelTransition {
    let trigger: LifecycleTrigger
    var askers: [(id: Int, then: [Scenario.Step])]
    var steps: [StateTable.Step] = []
    var limit: UInt64 = 0
    var isCutShort = false
    var reasons: [String] = []
    var configuration: Int?
    var told: [UInt64] = []

    init(_ trigger: LifecycleTrigger, id: Int, then: [Scenario.Step]) {
        self.trigger = trigger
        askers = [(id, then)]
    }
}
