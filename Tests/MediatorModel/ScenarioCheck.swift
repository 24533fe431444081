// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Lifecycle

/// Runs scenarios on the mediator and on the reference model, and reports differences.
package enum ScenarioCheck {
    /// Checks the scenario of one seed.
    ///
    /// - Returns: the difference, with the data to reproduce it; nil if there is none.
    package static func difference(seed: UInt64) async -> String? {
        let scenario = Scenario(seed: seed)
        let run = ScenarioRun(scenario)
        let model = ReferenceModel(scenario)
        for (index, step) in (scenario.steps + ending).enumerated() {
            let before = run.events.count
            await run.take(step)
            model.execute(step)
            // Earlier events were compared before.
            guard run.events[before...] == model.events[before...], run.state == model.state else {
                return text(scenario, index, run, model, since: before)
            }
        }
        return Invariants.broken(by: run.events, asked: run.asked).map { "seed \(seed): \($0)" }
    }

    /// Ends everything that is under way.
    private static var ending: [Scenario.Step] {
        [.advance(.seconds(200)), .perform(.stop, id: -1, count: nil, then: []), .advance(.seconds(200))]
            + (0..<3).map { .dropTask($0) } + (0..<30).map { _ in .resume(0, .returning(1)) }
            + [.perform(.stop, id: -2, count: nil, then: []), .advance(.seconds(1000))]
    }

    private static func text(
        _ scenario: Scenario, _ index: Int, _ run: ScenarioRun, _ model: ReferenceModel, since: Int
    ) -> String {
        var lines = ["seed \(scenario.seed): the mediator and the model part at step \(index)"]
        for (index, listener) in scenario.listeners.enumerated() { lines.append("listener \(index): \(listener)") }
        for (index, observer) in scenario.observers.enumerated() { lines.append("observer \(index): \(observer)") }
        for step in (scenario.steps + ending)[...index] { lines.append("step: \(step)") }
        let count = max(run.events.count, model.events.count)
        func event(_ events: [ScenarioEvent], _ index: Int) -> String {
            index < events.count ? "\(events[index])" : "nothing"
        }
        for index in min(since, count)..<count {
            let (left, right) = (event(run.events, index), event(model.events, index))
            lines.append(left == right ? "both: \(left)" : "mediator: \(left)\n   model: \(right)")
        }
        if run.state != model.state { lines.append("mediator: \(run.state)\n   model: \(model.state)") }
        return lines.joined(separator: "\n")
    }
}

/// An error that a listener of a scenario throws.
nonisolated enum ScenarioError: Error { case oops }

/// Rules that hold in every scenario, independent of the model.
nonisolated enum Invariants {
    /// - Returns: the first rule that is broken.
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
            case .received(let listener, let call, let sequence, let name, _):
                if !calls.insert([listener, call]).inserted { return "listener \(listener) was called twice" }
                if terminated > 0, sequence > 0, sequence < terminated, name.isTransition {
                    return "listener \(listener) received \(name) after the stop had ended"
                }
            case .reported(let sequence, _):
                if !reported.insert(sequence).inserted { return "notification \(sequence) was reported twice" }
            default: break
            }
        }
        return asked == ids ? nil : "no completion for \(asked.symmetricDifference(ids).sorted())"
    }
}
