// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryEventLoop
internal import Glibc
package import BelfrySystemd

/// Delays the machine's sleep or shutdown: holds an inhibitor lock of logind while it is wanted, also after the bus or
/// logind was restarted.
package final class DelayInhibitor {
    private let login: LoginManager
    private let who: String
    private let why: String
    /// The descriptor that stands for the lock. The lock is held until it is closed.
    private var lock: Int32? {
        didSet { if let oldValue { close(oldValue) } }
    }
    private var question: BusCall?
    private var lastProblem: BusError?

    /// What the lock delays.
    package let operation: LoginManager.Operation

    /// For how long logind waits (`InhibitDelayMaxSec=` in logind.conf(5)).
    var delayMax: Duration = .seconds(5)

    /// Whether the lock is to be held whenever it can be.
    package var isWanted = false {
        didSet { if isWanted != oldValue { isWanted ? acquire() : release() } }
    }

    /// Called when the lock is refused, once for each reason.
    package var onProblem: ((BusError) -> Void)?

    /// Called when logind has answered, or the request has failed.
    var onAnswer: (() -> Void)?

    /// A lock that is not wanted yet.
    package init(_ operation: LoginManager.Operation, of login: LoginManager, who: String, why: String) {
        self.login = login
        self.operation = operation
        self.who = who
        self.why = why
    }

    isolated deinit { if let lock { close(lock) } }

    /// Whether logind waits for us.
    package var isHeld: Bool { lock != nil }

    /// Whether logind was asked and has not answered.
    package var isAsking: Bool { question != nil }

    /// Asks for the lock, in place of one that is held, if it is wanted.
    package func acquire() {
        guard isWanted, login.isReachable else { return }
        question?.cancel()
        question = login.inhibit(operation, who: who, why: why) { [weak self] answer in
            if let self { receive(answer) } else if case .success(let lock) = answer { close(lock) }
        }
    }

    /// Releases the lock until the next `acquire()`.
    package func release() {
        lock = nil
        guard let question else { return }
        self.question = nil
        question.cancel()
        onAnswer?()
    }

    /// Calls `handler` shortly before logind stops waiting, unless the timer is dropped before.
    func timer(on loop: MainEventLoop, _ handler: @escaping () -> Void) -> TimerEventSource? {
        // A tenth is left for the way to logind.
        try? loop.timer(after: delayMax * 9 / 10, handler)
    }

    private func receive(_ answer: Result<Int32, BusError>) {
        question = nil
        defer { onAnswer?() }
        switch answer {
        case .success(let lock):
            self.lock = lock
            lastProblem = nil
        case .failure(let problem):
            guard problem != lastProblem else { return }
            lastProblem = problem
            onProblem?(problem)
        }
    }
}
