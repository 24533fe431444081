// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// Which steps a trigger owes in which state. A pure value: it decides, and the mediator acts.
public nonisolated struct LifecycleStateMachine: Sendable, Equatable {
    /// Where the service is.
    public private(set) var state: LifecycleState

    /// Starts in `state`, which is `notRunning` for every process.
    public init(state: LifecycleState = .notRunning) { self.state = state }

    /// The steps that `trigger` owes now, in order; none when it means nothing in this state. A SIGCONT without a
    /// pause before it, for one, is no *continue*.
    public func steps(for trigger: LifecycleTrigger) -> [LifecycleStep] {
        switch (state, trigger) {
        case (.notRunning, .launch):
            [
                LifecycleStep(.willFinishLaunching, .notRunning, .inactive),
                LifecycleStep(.didFinishLaunching, .inactive, .inactive),
                LifecycleStep(.didBecomeActive, .inactive, .active),
            ]
        case (.notRunning, _), (_, .launch): []
        case (.inactive, .refuseLaunch): [LifecycleStep(.willTerminate, .inactive, .notRunning)]
        case (_, .refuseLaunch): []
        case (.active, .pause): [resignActive, enterBackground]
        case (.inactive, .pause): [enterBackground]
        case (_, .pause): []
        case (.inactive, .resume): [becomeActive]
        case (.background, .resume): [enterForeground, becomeActive]
        case (.suspended, .resume), (.suspended, .endSuspension):
            [resume(to: .background), enterForeground, becomeActive]
        case (_, .resume): []
        case (.active, .interrupt): [resignActive]
        case (_, .interrupt): []
        case (.background, .suspend): [LifecycleStep(nil, .background, .suspended)]
        case (_, .suspend): []
        case (.background, .endSuspension): [resume(to: .background), enterForeground, becomeActive]
        case (_, .endSuspension): [resume(to: state)]
        case (_, .reload): [LifecycleStep(.willReload, state, state), LifecycleStep(.didReload, state, state)]
        case (.active, .stop): [resignActive, enterBackground, terminate]
        case (.inactive, .stop): [enterBackground, terminate]
        case (_, .stop): [LifecycleStep(.willTerminate, state, .notRunning)]
        }
    }

    /// Takes `step`: the service is in the state that it leads to.
    public mutating func take(_ step: LifecycleStep) { state = step.to }

    private var resignActive: LifecycleStep { LifecycleStep(.willResignActive, .active, .inactive) }
    private var enterBackground: LifecycleStep { LifecycleStep(.didEnterBackground, .inactive, .background) }
    private var enterForeground: LifecycleStep { LifecycleStep(.willEnterForeground, .background, .inactive) }
    private var becomeActive: LifecycleStep { LifecycleStep(.didBecomeActive, .inactive, .active) }
    private var terminate: LifecycleStep { LifecycleStep(.willTerminate, .background, .notRunning) }

    private func resume(to state: LifecycleState) -> LifecycleStep { LifecycleStep(.didResume, .suspended, state) }
}
