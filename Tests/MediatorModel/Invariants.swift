// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Lifecycle

/// What holds in every sequence, whatever the model says.
nonisolated enum Invariants {
    /// - Returns: the first thing that does not hold.
    static func broken(by events: [ScenarioEvent], asked: Set<Int>) -> String? {
        var ids: Set<Int> = []
        var sequences: Set<UInt64> = []
        var calls: Set<[Int]> = []
        var reported: Set<UInt64> = []
        var terminated: UInt64 = 0
        for event in events {
            switch event {
            case .ended(let id, let trigger, let result, let notifications, _):
                if !ids.insert(id).inserted { return "completion \(id) was called twice" }
                for sequence in notifications { sequences.insert(sequence) }
                if notifications != notifications.sorted() { return "completion \(id) tells of an order that was not" }
                if trigger == .stop, result == .completed, let last = notifications.last { terminated = last }
            case .answered(let id, _, _, _, _):
                if !ids.insert(id).inserted { return "completion \(id) was called twice" }
            case .told(let listener, let call, let sequence, let name, _):
                if !calls.insert([listener, call]).inserted { return "listener \(listener) was told twice" }
                if terminated > 0, sequence > 0, sequence < terminated, name.isTransition {
                    return "listener \(listener) was told of \(name) after the stop had ended"
                }
            case .reported(let sequence, _):
                if !reported.insert(sequence).inserted { return "notification \(sequence) was reported twice" }
            default: break
            }
        }
        return asked == ids ? nil : "no completion for \(asked.symmetricDifference(ids).sorted())"
    }
}
