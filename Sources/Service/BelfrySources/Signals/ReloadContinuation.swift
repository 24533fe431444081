// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import BelfrySystemd
internal import CBelfry
internal import Glibc

/// Tells the SIGCONT that the service manager sends right after the reload signal of `Type=notify-reload` from one that
/// resumes the service. The manager is asked for the type when its reload signal has come. It answers when it has sent
/// both, so a SIGCONT that comes after the answer does not belong to the reload. Without an answer it resumes.
package final class ReloadContinuation {
    private enum State {
        case idle
        /// The manager has not answered.
        case asking
        /// Nor has it, and its SIGCONT has come, which does this unless it belongs to the reload.
        case holding(resume: () -> Void)
    }

    private let unit: ServiceManagerUnit?
    private var state = State.idle

    /// - Parameter unit: the unit of this process; nil without one.
    package init(unit: ServiceManagerUnit?) { self.unit = unit }

    /// The manager has sent the reload signal.
    package func begin() {
        guard case .idle = state, let unit, unit.bus.isReady else { return }
        state = .asking
        // The reload may keep the loop meanwhile, which counts too.
        unit.bus.ask(unit.text("Type", of: "Service"), timeout: ServiceManagerUnit.longestAnswer) { [self] in
            let (isReload, before) = ((try? $0.get()) == "notify-reload", state)
            state = .idle
            switch before {
            case .holding(let resume) where !isReload: resume()
            case .asking where isReload:
                // It is there, but not read yet.
                var (own, now) = (sigset_t(), timespec())
                sigaddset(&own, SIGCONT)
                sigtimedwait(&own, nil, &now)
            default: break
            }
        }
    }

    /// The manager has sent SIGCONT. Calls `resume`, perhaps later, unless the signal belongs to a reload.
    package func receive(_ resume: @escaping () -> Void) {
        if case .asking = state { state = .holding(resume: resume) } else { resume() }
    }
}
