// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Lifecycle
import LifecycleTesting
import Testing

/// A mediator on a manual clock, and the calls of its listeners.
final class MediatorFixture {
    let clock = ManualClock()
    let mediator: LifecycleMediator
    var calls: [String] = []
    var ended: [TransitionReport] = []
    /// What the listeners and tasks have reported since `recordProgress()`.
    private(set) var progress: [LifecycleProgress] = []
    /// What a reload reads; nil keeps the configuration.
    var readConfiguration: (() throws -> LifecycleConfiguration)? {
        get { source.read }
        set { source.read = newValue }
    }
    private let source = ReloadSource()
    private var observations: [LifecycleObservation] = []

    init(deadlines: LifecycleDeadlines = LifecycleDeadlines()) {
        mediator = source.mediator(clock: clock, deadlines: deadlines)
    }

    /// A recording listener, which is not added.
    func recorder(
        _ name: String, _ interests: [LifecycleNotification.Name] = LifecycleNotification.Name.catalogue,
        deadline: Duration? = nil, _ behavior: RecordingListener.Behavior = .atOnce
    ) -> RecordingListener {
        let listener = RecordingListener(name, interests, deadline: deadline, behavior: behavior)
        listener.journal = { [unowned self] in calls.append($0) }
        return listener
    }

    /// Adds a recording listener.
    @discardableResult
    func listener(
        _ name: String, _ interests: [LifecycleNotification.Name] = LifecycleNotification.Name.catalogue,
        deadline: Duration? = nil, _ behavior: RecordingListener.Behavior = .atOnce
    ) -> RecordingListener {
        let listener = recorder(name, interests, deadline: deadline, behavior)
        add(listener)
        return listener
    }

    /// Adds a listener whose answer to one notification ends with `finish()` and may report progress.
    func slow(
        _ name: String = "slow", on interest: LifecycleNotification.Name = .willTerminate, deadline: Duration
    ) -> SlowListener {
        let listener = SlowListener(name, on: interest, deadline: deadline)
        add(listener)
        return listener
    }

    private func add(_ listener: any LifecycleListener) {
        do throws(ListenerOrderError) {
            try mediator.addListener(listener)
        } catch {
            Issue.record(error)
        }
    }

    func recordProgress() {
        observe { [unowned self] in if case .progress(let report) = $0 { progress.append(report) } }
    }

    /// Observes events for as long as the fixture is there.
    func observe(_ handler: @escaping (LifecycleMediator.Event) -> Void) {
        observations.append(mediator.addEventObserver(using: handler))
    }

    func perform(_ triggers: LifecycleTrigger..., origin: LifecycleOrigin = .service) {
        for trigger in triggers { mediator.perform(trigger, origin: origin) { [self] in ended.append($0) } }
    }

    /// Waits until `condition` holds or the time limit of the suite ends the test, letting other main-actor work run.
    func until(_ condition: () -> Bool) async {
        while !condition(), !Task.isCancelled { await Task.yield() }
    }
}

/// A listener whose answer to one notification, by default the last, ends with `finish()` and may report progress.
final class SlowListener: LifecycleListener {
    let name: String
    private let interest: LifecycleNotification.Name
    private let deadline: Duration
    private(set) var progress: ListenerProgress?
    private var continuation: UnsafeContinuation<Void, Never>?

    init(_ name: String, on interest: LifecycleNotification.Name = .willTerminate, deadline: Duration) {
        self.name = name
        self.interest = interest
        self.deadline = deadline
    }

    var answers: [LifecycleAnswer] {
        on(interest, deadline: deadline) { [self] _, progress in
            self.progress = progress
            await withUnsafeContinuation { continuation = $0 }
        }
    }

    func finish() {
        continuation?.resume()
        continuation = nil
        progress = nil
    }
}
