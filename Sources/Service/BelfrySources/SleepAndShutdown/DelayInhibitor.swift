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
    private let problem: (LoginProblem) -> Void
    private let requests: LockRequests
    /// The descriptor that stands for the lock. The lock is held until it is closed.
    private(set) var lock: Int32? {
        didSet { if let oldValue { close(oldValue) } }
    }
    private(set) var question: BusCall?
    private var lastRefusal: BusError?
    /// Asks again, later each time, while logind has too many requests.
    private var retry: TimerEventSource?
    private var delay = DelayInhibitor.shortestDelay
    private static let (shortestDelay, longestDelay) = (Duration.seconds(1), Duration.seconds(60))

    /// What the lock delays.
    package let operation: LoginManager.Operation

    /// For how long logind waits (`InhibitDelayMaxSec=` in logind.conf(5)).
    var delayMax: Duration = .seconds(5)

    /// Whether the lock is to be held whenever it can be.
    package var isWanted = false {
        didSet { if isWanted != oldValue { isWanted ? acquire() : release() } }
    }

    /// A lock that is not wanted yet.
    ///
    /// - Parameters:
    ///   - problem: called when the lock is refused, once for each reason.
    init(
        _ operation: LoginManager.Operation, of login: LoginManager, who: String, why: String, requests: LockRequests,
        problem: @escaping (LoginProblem) -> Void
    ) {
        self.login = login
        (self.requests, self.problem) = (requests, problem)
        (self.operation, self.who, self.why) = (operation, who, why)
    }

    isolated deinit { if let lock { close(lock) } }

    /// Why logind does not wait for us, although it should.
    package var refusal: BusError? { isWanted ? lastRefusal : nil }

    /// Asks for the lock, in place of one that is held, if it is wanted.
    package func acquire() {
        guard isWanted, login.bus.isReady else { return }
        retry = nil
        if let question { question.cancel() } else { requests.began() }
        var isOver = false
        let call = login.bus.ask(login.lock(operation, who: who, why: why)) { [weak self] answer in
            isOver = true
            if let self { receive(answer) } else if case .success(let lock) = answer { close(lock) }
        }
        question = isOver ? nil : call
    }

    /// Releases the lock until the next `acquire()`.
    package func release() {
        (lock, retry) = (nil, nil)
        guard let question else { return }
        self.question = nil
        question.cancel()
        requests.ended()
    }

    /// Calls `handler` shortly before logind stops waiting, unless the timer is dropped before.
    func timer(on loop: MainEventLoop, _ handler: @escaping () -> Void) -> TimerEventSource? {
        // A tenth is left for the way to logind.
        try? loop.timer(after: delayMax * 9 / 10, handler)
    }

    /// Reports that the work took longer than logind waits.
    func reportOverrun() { problem(.overrun(operation, delayMax)) }

    private func receive(_ answer: Result<Int32, BusError>) {
        question = nil
        defer { requests.ended() }
        switch answer {
        case .success(let lock):
            self.lock = lock
            delay = Self.shortestDelay
            lastRefusal = nil
        case .failure(let refusal):
            if refusal.isTemporary { askAgain() }
            guard refusal != lastRefusal else { return }
            lastRefusal = refusal
            problem(.refused(operation, refusal))
        }
    }

    private func askAgain() {
        // Others may have been refused at the same moment. Without a timer the refusal stays, and is told.
        retry = try? login.bus.loop.timer(after: delay * Double.random(in: 0.5...1)) { [unowned self] in acquire() }
        delay = min(delay * 2, Self.longestDelay)
    }
}
