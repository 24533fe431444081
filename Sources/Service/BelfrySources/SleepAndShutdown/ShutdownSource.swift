// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryEventLoop
internal import Lifecycle
package import BelfrySystemd

/// Which shutdown logind has announced, for the reason of the stop that follows. With the inhibitor, logind waits until
/// this has heard of it and the background tasks under way have ended, since what they need still runs.
package final class ShutdownSource {
    private let loop: MainEventLoop
    private let mediator: LifecycleMediator
    private let login: LoginManager
    private var matches: [BusMatch] = []
    private var isAnnounced = false
    /// Whether the machine waits for background tasks.
    private var isWaiting = false
    private var timer: TimerEventSource?

    /// Delays the shutdown, while it is wanted.
    package let inhibitor: DelayInhibitor
    /// The announced shutdown, if logind has said which.
    package private(set) var kind: ShutdownKind?

    /// Listens from now on.
    init(
        loop: MainEventLoop, mediator: LifecycleMediator, login: LoginManager,
        inhibitor: (LoginManager.Operation, _ why: String) -> DelayInhibitor
    ) {
        self.loop = loop
        self.mediator = mediator
        self.login = login
        self.inhibitor = inhibitor(.shutdown, "Background tasks end, and the reason is found out")
        matches = login.onShutdown { [unowned self] in announced($0, $1) }
    }

    /// Asks logind whether a shutdown is announced.
    func askLogin() {
        login.bus.ask(login.isPreparing(for: .shutdown)) { [weak self] answer in
            if let self { announced((try? answer.get()) ?? isAnnounced, nil) }
        }
    }

    private func announced(_ begins: Bool, _ kind: ShutdownKind?) {
        // It is announced twice, without the kind and with it.
        let isFirst = begins && !isAnnounced
        isAnnounced = begins
        self.kind = begins ? kind ?? self.kind : nil
        if isFirst { wait() }
        if !begins {
            isWaiting = false
            timer = nil
            inhibitor.acquire()
        }
    }

    private func wait() {
        isWaiting = true
        timer = inhibitor.timer(on: loop) { [unowned self] in
            inhibitor.reportOverrun()
            endWait()
        }
        mediator.whenBackgroundTasksEnd { [weak self] in self?.endWait() }
    }

    private func endWait() {
        guard isWaiting else { return }
        isWaiting = false
        timer = nil
        inhibitor.release()
    }
}
