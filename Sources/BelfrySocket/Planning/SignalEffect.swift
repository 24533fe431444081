// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryConfiguration
internal import Lifecycle

/// What a signal would do: a transition, a post, or neither, and in words what no list of notifications tells.
nonisolated struct SignalEffect: Sendable, Equatable {
    /// What happens to the notifications.
    enum Work: Sendable, Equatable {
        /// The service moves.
        case transition(LifecycleTrigger)
        /// A notification is posted.
        case post(LifecycleNotification.Name)
        /// Nothing is delivered.
        case nothing
    }

    /// What happens to the notifications.
    let work: Work
    /// What else there is to say.
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
        case .reload: self.init(.transition(.reload), "reads the configuration anew, all or nothing")
        case .pause where stopsOnPause:
            self.init(.transition(.pause), "pauses the service, which then stops itself with SIGSTOP")
        case .pause: self.init(.transition(.pause), "pauses the service")
        case .resume: self.init(.transition(.resume), "brings the service back")
        case .interrupt: self.init(.transition(.interrupt), "makes the service inactive until it is resumed")
        case .control:
            self.init(
                .post(.didReceiveMemoryWarning),
                "does what the value says that is queued with it; 0x300 posts a memory warning")
        case .ignore: self.init(.nothing, "nothing: it is ignored")
        case .post(let name):
            guard let name = LifecycleNotification.Name(name) else {
                self.init(.nothing, "nothing: it is ignored")
                return
            }
            self.init(.post(name), "posts a notification")
        }
    }

    /// What a signal does that the service cannot hear, or does not want to.
    init(ofUnheard number: Int32) {
        self.init(
            .nothing, SignalName.whyNotMappable(number).map { "nothing of ours: \($0)" } ?? "nothing: it is ignored")
    }

    private init(_ work: Work, _ words: String) {
        self.work = work
        self.words = words
    }
}

nonisolated extension SignalAction {
    fileprivate var isTransition: Bool { [.reload, .pause, .resume, .interrupt].contains(self) }
}
