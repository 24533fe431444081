// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

public import Lifecycle

/// A life in a few lines: triggers, posts and time on a mediator, and what was told and answered on the way.
///
///     let script = LifecycleScript()
///     try script.mediator.addListener(listener)
///     await script.run(.perform(.launch), .advance(.seconds(3)), .perform(.stop))
///     #expect(script.told.last == "willTerminate")
public final class LifecycleScript {
    /// One line of a script.
    public enum Step {
        /// Moves the service.
        case perform(LifecycleTrigger, userInfo: UserInfo = [:])
        /// Posts a notification.
        case post(LifecycleNotification.Name, userInfo: UserInfo = [:])
        /// Moves the clock.
        case advance(Duration)
        /// Does something else.
        case call(() throws -> Void)
    }

    /// The clock of the mediator.
    public let clock: ManualClock
    /// The mediator that the script plays on.
    public let mediator: LifecycleMediator
    /// The notifications that were told, in order.
    public private(set) var notifications: [LifecycleNotification] = []
    /// What became of those whose listeners are done, in the order in which they were.
    public private(set) var reports: [LifecycleReport] = []
    /// What became of the triggers that have ended.
    public private(set) var transitions: [TransitionReport] = []
    /// What the steps threw.
    public private(set) var errors: [any Error] = []
    private var observations: [LifecycleObservation] = []

    /// A script on a mediator of its own, or on one that is given with its clock.
    public init(clock: ManualClock = ManualClock(), mediator: LifecycleMediator? = nil) {
        self.clock = clock
        self.mediator = mediator ?? LifecycleMediator(clock: clock)
        observations = [
            self.mediator.addObserver { [unowned self] in notifications.append($0) },
            self.mediator.addEventObserver(for: [.delivered, .transitionEnded]) { [unowned self] in note($0) },
        ]
    }

    /// The names of the notifications that were told, in order.
    public var told: [String] { notifications.map(\.name.rawValue) }

    /// What went wrong with listeners, as «NOTIFICATION: NAME: REASON».
    public var problems: [String] {
        reports.flatMap { report in report.problems.map { "\(report.notification.name): \($0)" } }
    }

    /// Takes the steps in order. After each, other work of the main actor has `turns` turns, so that an answer which
    /// only hops between tasks ends before the next step.
    public func run(_ steps: Step..., turns: Int = 50) async {
        for step in steps {
            take(step)
            for _ in 0..<turns { await Task.yield() }
        }
    }

    private func note(_ event: LifecycleMediator.Event) {
        switch event {
        case .delivered(let report): reports.append(report)
        case .transitionEnded(let report): transitions.append(report)
        default: break
        }
    }

    private func take(_ step: Step) {
        switch step {
        case .perform(let trigger, let userInfo): mediator.perform(trigger, userInfo: userInfo)
        case .post(let name, let userInfo): mediator.post(name, userInfo: userInfo)
        case .advance(let duration): clock.advance(by: duration)
        case .call(let body):
            do { try body() } catch { errors.append(error) }
        }
    }
}
