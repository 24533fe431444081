// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import BelfryEventLoop
package import Lifecycle
package import BelfryLinux

/// Posts `didReceiveMemoryWarning` when the kernel says that tasks of the service wait for memory.
package final class MemoryPressureSource {
    /// What fires along with a more urgent one, in the window of both, is not told again.
    private static let window: Duration = .seconds(2)
    private let mediator: LifecycleMediator
    private var triggers: [PressureTrigger] = []
    private var lastFull: MonotonicInstant?

    /// Called when nothing more will be heard, with the file that was watched.
    package var onEnd: ((String) -> Void)?

    /// Sets the triggers of `plan`.
    package init(loop: MainEventLoop, mediator: LifecycleMediator, plan: PressurePlan) throws(SystemError) {
        self.mediator = mediator
        for trigger in plan.triggers {
            triggers.append(
                try PressureTrigger(
                    trigger, loop: loop, fired: { [unowned self] in warn(trigger.level) },
                    ended: { [unowned self] in onEnd?(trigger.path) }))
        }
    }

    private func warn(_ level: MemoryWarning.Level) {
        let now = MonotonicInstant.now
        if level == .full { lastFull = now }
        if level == .some, let lastFull, now - lastFull < Self.window { return }
        mediator.post(MemoryWarning(level))
    }
}
