// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Lifecycle

/// Who has how much of the time for all.
extension ReferenceModel {
    /// What is wanted, while there is enough for all; otherwise the same part of what is left as of what all want.
    func share(of wanted: Duration, before later: Duration, within left: Duration) -> Duration {
        if wanted + later <= left { return wanted }
        let (mine, all) = (microseconds(wanted), microseconds(wanted + later))
        return mine == 0 ? .zero : .microseconds(mine * microseconds(left) / all)
    }

    /// What falls to an answer, before the groups and the steps that are still to come.
    func share(of wanted: Duration, in delivery: ModelDelivery) -> Duration {
        guard delivery.limit < .max else { return wanted }
        return share(
            of: wanted, before: delivery.later[delivery.groups.count], within: remaining(until: delivery.limit))
    }

    /// What the last groups of a step and the steps behind it want when it begins: none of the groups, one, two and so on.
    func later(than groups: [[ModelListener]], for name: LifecycleNotification.Name, steps: [StateTable.Step])
        -> [Duration]
    {
        let rest = timeOfSteps(steps)
        return (0...groups.count).map { rest + time(of: Array(groups.suffix($0)), for: name) }
    }

    /// The time that groups want, one after the other. Who answers at once wants none.
    func time(of groups: [[ModelListener]], for name: LifecycleNotification.Name) -> Duration {
        var sum = Duration.zero
        for group in groups {
            var longest = Duration.zero
            for listener in group where !listener.isGone {
                guard let answer = listener.answer(to: name, action: ""), answer.kind != .immediate else { continue }
                longest = max(longest, answer.deadline ?? scenario.deadlines.listener)
            }
            sum += longest
        }
        return sum
    }

    func timeOfSteps(_ steps: [StateTable.Step]) -> Duration {
        var sum = Duration.zero
        for name in steps.compactMap(\.name) { sum += time(of: groups(answering: name), for: name) }
        return sum
    }

    func microseconds(_ duration: Duration) -> Int64 {
        duration.components.seconds * 1_000_000 + duration.components.attoseconds / 1_000_000_000_000
    }
}
