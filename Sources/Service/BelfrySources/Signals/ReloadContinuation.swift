// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import BelfrySystemd
internal import Glibc

/// Tells the SIGCONT that the service manager sends right after the reload signal of `Type=notify-reload` from one that
/// resumes the service. The manager is asked for the type when its reload signal has come. It answers when it has sent
/// both signals, so a SIGCONT that comes after the answer does not belong to the reload. Without an answer it resumes.
package final class ReloadContinuation {
    private enum State {
        case none
        /// The manager is asked. Its SIGCONT, if that has come, does this unless it belongs to the reload.
        case asking(resume: (() -> Void)?)
        /// The SIGCONT that the kernel holds belongs to the reload.
        case unread
    }

    private let unit: ServiceManagerUnit?
    private var state = State.none

    /// - Parameter unit: the unit of this process; nil without one.
    package init(unit: ServiceManagerUnit?) { self.unit = unit }

    /// The manager has sent the reload signal.
    package func begin() {
        guard case .none = state, let unit, unit.bus.isReady else { return }
        state = .asking(resume: nil)
        unit.bus.ask(unit.text("Type", of: "Service"), timeout: .milliseconds(200)) { [weak self] in
            self?.end(isReload: (try? $0.get()) == "notify-reload")
        }
    }

    private func end(isReload: Bool) {
        var pending = sigset_t()
        sigpending(&pending)
        let last = state
        state = isReload && sigismember(&pending, SIGCONT) == 1 ? .unread : .none
        guard case .asking(let resume?) = last else { return }
        state = .none
        if !isReload { resume() }
    }

    /// The manager has sent SIGCONT. It calls `resume`, perhaps later, unless the signal belongs to a reload.
    package func receive(_ resume: @escaping () -> Void) {
        switch state {
        case .none, .asking(_?): resume()
        case .asking(nil): state = .asking(resume: resume)
        case .unread: state = .none
        }
    }
}
