// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import BelfrySystemd
internal import CBelfry
internal import Glibc

/// Tells the SIGCONT that the service manager sends right after the reload signal of `Type=notify-reload` from one that
/// resumes the service. The manager is asked for the type when its reload signal has come. It answers when it has sent
/// both, so a SIGCONT that comes after the answer does not belong to the reload. Without an answer it resumes.
package final class ReloadContinuation {
    private let unit: ServiceManagerUnit?
    /// The reload signals of the manager of which it has not said the type yet.
    private var unknown = 0
    /// What its SIGCONTs that have come do unless they belong to these reloads; not more than one for each.
    private var held: [() -> Void] = []

    /// - Parameter unit: the unit of this process; nil without one.
    package init(unit: ServiceManagerUnit?) { self.unit = unit }

    /// The manager has sent the reload signal.
    package func begin() {
        guard let unit, unit.bus.isReady else { return }
        unknown += 1
        // The reload may keep the loop meanwhile, which counts too.
        unit.bus.ask(unit.text("Type", of: "Service"), timeout: ServiceManagerUnit.longestAnswer) { [self] in
            let isReload = (try? $0.get()) == "notify-reload"
            unknown -= 1
            if let resume = held.isEmpty ? nil : held.removeFirst() {
                if !isReload { resume() }
            } else if isReload {
                // It is there, but not read yet.
                var (own, now) = (sigset_t(), timespec())
                sigaddset(&own, SIGCONT)
                sigtimedwait(&own, nil, &now)
            }
        }
    }

    /// The manager has sent SIGCONT. Calls `resume`, perhaps later, unless the signal belongs to a reload.
    package func receive(_ resume: @escaping () -> Void) {
        if held.count < unknown { held.append(resume) } else { resume() }
    }
}
