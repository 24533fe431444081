// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Lifecycle

/// A trigger that was accepted, as the model knows it.
final class ModelTransition {
    let trigger: LifecycleTrigger
    var count: Int?
    var askers: [(id: Int, then: [Scenario.Step])]
    var steps: [StateTable.Step] = []
    var limit: UInt64 = 0
    var isCutShort = false
    var isGivenUp = false
    var reasons: [String] = []
    var configuration: Int?
    var told: [UInt64] = []

    init(_ trigger: LifecycleTrigger, id: Int, count: Int?, then: [Scenario.Step]) {
        self.trigger = trigger
        self.count = count
        askers = [(id, then)]
    }
    /// What a notification of it says: the count is told by what the trigger is about.
    func count(told name: LifecycleNotification.Name) -> Int? {
        switch name {
        case .willResignActive: trigger == .interrupt ? count : nil
        case .didEnterBackground: trigger == .pause ? count : nil
        case .didBecomeActive: trigger == .resume ? count : nil
        case .willTerminate: trigger == .launch ? nil : count
        case .willEnterForeground: nil
        default: count
        }
    }
}
