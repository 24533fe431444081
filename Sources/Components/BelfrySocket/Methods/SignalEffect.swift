// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryConfiguration
internal import Glibc
internal import Lifecycle

/// What a signal would do: a transition, a post, or neither, and a text about what the list of notifications does not
/// show.
nonisolated struct SignalEffect: Sendable, Equatable {
    /// What happens to the notifications.
    enum Work: Sendable, Equatable {
        /// A transition runs.
        case transition(LifecycleTrigger)
        /// A notification is posted.
        case post(LifecycleNotification.Name)
        /// Nothing is delivered.
        case nothing
    }

    /// What happens to the notifications.
    let work: Work
    /// A text about anything else.
    let words: String

    /// - Parameters:
    ///   - action: what the signal is mapped to.
    ///   - number: the signal.
    ///   - isStopping: whether a stop is under way.
    ///   - stopsOnPause: `StopOnPause=`.
    init(of action: SignalAction, _ number: Int32, isStopping: Bool, stopsOnPause: Bool) {
        switch action {
        case .stop where isStopping:
            self.init(.nothing, "cuts the stop under way short; the process ends with \(128 + number)")
        case .stop: self.init(.transition(.stop), "stops the service in order; the process ends with 0")
        case .stopNow:
            self.init(
                .post(.statusRequested), "the process ends at once with \(128 + number), no listener is waited for")
        case _ where isStopping && action.isTransition:
            self.init(.nothing, "nothing: the service is stopping")
        case .reload: self.init(.transition(.reload), "reads the configuration again, and keeps the old one on failure")
        case .pause where stopsOnPause:
            self.init(.transition(.pause), "pauses the service, which then stops itself with SIGSTOP")
        case .pause: self.init(.transition(.pause), "pauses the service")
        case .resume:
            self.init(.transition(number == SIGCONT ? .continued : .resume), "continues the service")
        case .interrupt: self.init(.transition(.interrupt), "interrupts the service: inactive until it continues")
        case .control:
            self.init(
                .post(.didReceiveMemoryWarning),
                "does what the value says that is queued with it; 0x300 posts a memory warning")
        case .ignore: self.init(.nothing, "nothing: it is ignored")
        case .post(let name): self.init(.post(name), "posts a notification")
        case .perform(let id): self.init(.post(.performAction), "requests the action '\(id)'")
        }
    }

    /// For a signal that the service cannot receive, or ignores.
    init(ofUnheard number: Int32) {
        let words =
            switch number {
            case SIGKILL:
                "the kernel ends the process at once, and no listener is called; systemd runs ExecStopPost=, which "
                    + "records the exit, and starts the service again if Restart= says so; clients are disconnected, "
                    + "and a subscriber that connects again gets what it has missed"
            case SIGSTOP:
                "the kernel stops the process until SIGCONT, and no listener is called; SIGCONT then posts didResume, "
                    + "or resumes a service that is not active; if the process is stopped for longer than "
                    + "WatchdogSec=, systemd ends the service, and systemd 252 also one that is frozen for longer"
            default: SignalName.whyNotMappable(number).map { "no notification: \($0)" } ?? "nothing: it is ignored"
            }
        self.init(.nothing, words)
    }

    private init(_ work: Work, _ words: String) {
        self.work = work
        self.words = words
    }
}

nonisolated extension SignalAction {
    fileprivate var isTransition: Bool { [.reload, .pause, .resume, .interrupt].contains(self) }
}
