// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Lifecycle
import LifecycleTesting
import Testing

/// A mediator on a manual clock, and a list of what was told to whom.
final class MediatorFixture {
    let clock = ManualClock()
    let mediator: LifecycleMediator
    var told: [String] = []
    var ended: [TransitionReport] = []

    init(deadlines: LifecycleDeadlines = LifecycleDeadlines()) {
        mediator = LifecycleMediator(clock: clock, configuration: LifecycleConfiguration(), deadlines: deadlines)
    }

    /// Adds a recording listener.
    @discardableResult
    func listener(
        _ name: String, _ interests: [LifecycleNotification.Name] = LifecycleNotification.Name.catalogue,
        deadline: Duration? = nil, _ manner: RecordingListener.Manner = .atOnce
    ) -> RecordingListener {
        let listener = RecordingListener(name, interests, deadline: deadline, manner: manner)
        listener.journal = { [unowned self] in told.append($0) }
        do throws(ListenerOrderError) {
            try mediator.addListener(listener)
        } catch {
            Issue.record(error)
        }
        return listener
    }

    func perform(_ triggers: LifecycleTrigger..., origin: LifecycleOrigin = .service) {
        for trigger in triggers { mediator.perform(trigger, origin: origin) { [self] in ended.append($0) } }
    }

    /// What was told since the last call.
    func takeTold() -> [String] {
        defer { told = [] }
        return told
    }

    /// Waits until `condition` holds, letting other main-actor work run.
    func until(_ condition: () -> Bool) async {
        while !condition() { await Task.yield() }
    }
}
