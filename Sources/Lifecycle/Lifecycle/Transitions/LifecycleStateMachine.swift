// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// Decides which steps a trigger has in each state: a pure value.
package nonisolated struct LifecycleStateMachine: Sendable, Equatable {
    /// The state of the service.
    package private(set) var state: LifecycleState { didSet { if state == .notRunning { hasFailedPause = false } } }
    /// Whether a listener has failed when the service last entered the background: another pause enters it again.
    package var hasFailedPause = false

    /// Starts in `state`, which is `notRunning` for every process.
    package init(state: LifecycleState = .notRunning) { self.state = state }

    /// The steps of `trigger` in the present state, in order; none if it has no effect in this state.
    ///
    /// - Parameter isPaused: whether a launch is that of a service that was paused (`LaunchOptions.isPaused`).
    package func steps(for trigger: LifecycleTrigger, isPaused: Bool = false) -> [LifecycleStep] {
        switch (state, trigger) {
        case (.notRunning, .launch):
            [
                LifecycleStep(.willFinishLaunching, .notRunning, .inactive),
                LifecycleStep(.didFinishLaunching, .inactive, .inactive),
                isPaused ? enterBackground : becomeActive,
            ]
        case (.notRunning, _), (_, .launch): []
        case (.inactive, .refuseLaunch): [LifecycleStep(.willTerminate, .inactive, .notRunning)]
        case (_, .refuseLaunch): []
        case (.active, .pause): [resignActive, enterBackground]
        case (.inactive, .pause): [enterBackground]
        case (.background, .pause) where hasFailedPause: [LifecycleStep(.didEnterBackground, state, state)]
        case (_, .pause): []
        case (.inactive, .resume), (.inactive, .continued): [becomeActive]
        case (.background, .resume), (.background, .continued): [enterForeground, becomeActive]
        case (.suspended, .resume), (.suspended, .continued), (.suspended, .endSuspension):
            [resume(to: .background), enterForeground, becomeActive]
        case (_, .resume): []
        case (.active, .interrupt): [resignActive]
        case (_, .interrupt): []
        case (.background, .suspend): [LifecycleStep(nil, .background, .suspended)]
        case (_, .suspend): []
        case (.background, .endSuspension): [resume(to: .background), enterForeground, becomeActive]
        case (_, .endSuspension): [resume(to: state)]
        // Nobody knows whether it was stopped.
        case (_, .continued): [LifecycleStep(.didResume, state, state)]
        case (_, .reload): [LifecycleStep(.willReload, state, state), LifecycleStep(.didReload, state, state)]
        case (.active, .stop): [resignActive, enterBackground, terminate]
        case (.inactive, .stop): [enterBackground, terminate]
        case (_, .stop): [LifecycleStep(.willTerminate, state, .notRunning)]
        }
    }

    /// Moves to the state that `step` leads to.
    package mutating func apply(_ step: LifecycleStep) { state = step.to }

    private var resignActive: LifecycleStep { LifecycleStep(.willResignActive, .active, .inactive) }
    private var enterBackground: LifecycleStep { LifecycleStep(.didEnterBackground, .inactive, .background) }
    private var enterForeground: LifecycleStep { LifecycleStep(.willEnterForeground, .background, .inactive) }
    private var becomeActive: LifecycleStep { LifecycleStep(.didBecomeActive, .inactive, .active) }
    private var terminate: LifecycleStep { LifecycleStep(.willTerminate, .background, .notRunning) }

    private func resume(to state: LifecycleState) -> LifecycleStep { LifecycleStep(.didResume, .suspended, state) }
}

/// The state of a service, named as UIKit's application states.
public nonisolated enum LifecycleState: String, Sendable, CaseIterable {
    /// Not launched yet, or terminated.
    case notRunning
    /// Launching, or interrupted for a short time.
    case inactive
    /// Doing its work.
    case active
    /// Paused: it keeps its resources, and does no work.
    case background
    /// Its process has stopped itself with SIGSTOP after a pause: no code runs.
    case suspended
}

/// What moves a service from one state to another.
public nonisolated enum LifecycleTrigger: String, Sendable, CaseIterable {
    /// The process has started. If the service was paused when its last run ended (`LaunchOptions.isPaused`), it goes
    /// to the background instead of becoming active.
    case launch
    /// A listener refused the launch, or a required one failed or was late.
    case refuseLaunch
    /// Go to the background: SIGTSTP, `belfryctl pause`, the machine is about to sleep.
    case pause
    /// Continue after a pause or an interruption: `belfryctl resume`, the machine woke up.
    case resume
    /// The process received SIGCONT. In the state `active` it posts `didResume` without a change of state, since the
    /// process may have been suspended. In other states it is the same as `resume`.
    case continued
    /// Become inactive for a short time: `belfryctl interrupt`.
    case interrupt
    /// The process is about to stop itself with SIGSTOP, after a pause.
    case suspend
    /// The process was suspended without notice and runs again: the control group was thawed, the machine woke up.
    case endSuspension
    /// Read the configuration again.
    case reload
    /// Terminate: SIGTERM, SIGINT.
    case stop
}

/// One step of a transition: its notification, and the states before and after it.
package nonisolated struct LifecycleStep: Sendable, Equatable {
    /// The notification to deliver; nil for a step without one.
    package let name: LifecycleNotification.Name?
    /// The state before.
    package let from: LifecycleState
    /// The state the step leads to. A `did…` notification is delivered in it, a `will…` notification before it.
    package let to: LifecycleState

    /// Whether the notification is delivered in the new state.
    var isArrival: Bool { name?.isArrival ?? true }

    init(_ name: LifecycleNotification.Name?, _ from: LifecycleState, _ to: LifecycleState) {
        self.name = name
        self.from = from
        self.to = to
    }
}
