// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Lifecycle

/// A notification under way to its listeners, as the model knows it.
final class ModelDelivery {
    let name: LifecycleNotification.Name
    let action: String
    let sequence: UInt64
    let configuration: Int?
    var limit: UInt64
    var groups: [[ModelListener]]
    /// What is wanted by whatever comes later, by how many groups are left.
    var later: [Duration] = []
    var calls: [ModelCall] = []
    var isTelling = false
    var isCutShort = false
    var isDone = false
    let done: (ModelDelivery) -> Void

    init(
        _ name: LifecycleNotification.Name, action: String, _ sequence: UInt64, configuration: Int?, limit: UInt64,
        groups: [[ModelListener]], _ done: @escaping (ModelDelivery) -> Void
    ) {
        self.name = name
        self.action = action
        self.sequence = sequence
        self.configuration = configuration
        self.limit = limit
        self.groups = groups
        self.done = done
    }

    var isWaiting: Bool { calls.contains { $0.outcome == nil } }
    var isSettled: Bool { name == .openURL && calls.contains { $0.outcome == .handled } }

    var answers: [ScenarioEvent.Answered] {
        calls.map {
            ScenarioEvent.Answered(
                listener: $0.listener.plan.name, outcome: $0.outcome ?? .completed, duration: $0.duration)
        }
    }

    var result: FetchResult {
        if calls.contains(where: { $0.outcome == .fetched(.newData) }) { return .newData }
        return calls.contains { $0.outcome?.isProblem ?? true } ? .failed : .noData
    }

    var refusals: [String] {
        calls.compactMap {
            if case .refused(let reason) = $0.outcome { "\($0.listener.plan.name): \(reason)" } else { nil }
        }
    }

    var problems: [String] {
        calls.compactMap { call in
            switch call.outcome {
            case .refused(let reason), .failed(let reason): "\(call.listener.plan.name): \(reason)"
            case .overran: "\(call.listener.plan.name): no answer within its deadline"
            default: nil
            }
        }
    }
}
