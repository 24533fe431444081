// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import BelfrySystemd
package import Lifecycle

/// Stops the service at a signal, with the reason that the service manager gives.
///
/// The stop is accepted at once. A service that stands for an application then waits for the turn of its unit
/// (`UnitTurn`). The reason is asked for just before `willTerminate`, which waits for it, at most 200 ms, or 5 s for an
/// application. The manager is asked on its own socket if that is allowed, else on the bus. A user's manager does not
/// know whether the machine shuts down: the system's manager is asked as well, and if it does not answer, what logind
/// has announced counts.
package final class StopReasonSource {
    /// How long a stop waits for its reason: longer if a command of an application depends on it.
    private var timeout: Duration { application == nil ? .milliseconds(200) : ServiceManagerUnit.longestAnswer }

    private let mediator: LifecycleMediator
    private let unit: ServiceManagerUnit?
    private let application: String?
    private let problem: (String) -> Void
    private let announced: () -> ShutdownKind?
    private let argumentsOfInit: () -> [String]
    private let onStopJob: () -> Void
    private var direct: ServiceManagerUnit?
    private var turn: UnitTurn?

    /// - Parameters:
    ///   - unit: the unit of this process, if it is in one.
    ///   - application: the unit that this service stands for, if any. `unitJob` of `willTerminate` says what happens
    ///     to it.
    ///   - problem: called with the reason when the turn of that unit cannot be waited for.
    ///   - announced: the shutdown that logind has announced, if any.
    ///   - argumentsOfInit: the arguments of process 1.
    ///   - onStopJob: called when the manager says that a stop job is the reason (`StopReason.isStopJob`). Not for an
    ///     application: it may run on without this service, in the state in which it is.
    package init(
        mediator: LifecycleMediator, unit: ServiceManagerUnit?, application: String? = nil,
        problem: @escaping (String) -> Void = { _ in }, announced: @escaping () -> ShutdownKind?,
        argumentsOfInit: @escaping () -> [String] = { ProcessIdentity.arguments(of: 1) },
        onStopJob: @escaping () -> Void
    ) {
        self.mediator = mediator
        self.unit = unit
        self.application = application
        self.problem = problem
        self.announced = announced
        self.argumentsOfInit = argumentsOfInit
        self.onStopJob = onStopJob
    }

    /// Stops the service, or cuts a stop that is under way short.
    package func stop(_ origin: SignalOrigin) {
        // systemd-shutdown(8) sends the signal itself, as at `systemctl reboot --force`. There is no manager to ask
        // then.
        let last = origin.pid == 1 ? ShutdownKind(shutdownProgram: argumentsOfInit()) : nil
        func reason(_ ending: UnitEnding?) -> StopReason {
            StopReason(ending, isFromManager: origin.isFromManager, announced: last ?? announced())
        }
        // The manager's own socket comes first: at a shutdown the bus may go before the service does.
        if last == nil { direct = direct ?? unit?.direct }
        guard last == nil, let unit = direct ?? unit, direct != nil || application != nil || unit.bus.isReady else {
            return mediator.perform(.stop, origin: .signal(origin), userInfo: reason(nil).userInfo)
        }
        let reasons = StopPreparation(.termination, limit: timeout) { [self] done in
            ask(unit) { [mediator, application, onStopJob] ending, isLast in
                if let ending {
                    let found = reason(ending)
                    mediator.addToStop(found.userInfo)
                    if let application = ending.application { mediator.addToStop(application.userInfo) }
                    if found.isStopJob, application == nil { onStopJob() }
                }
                if isLast { done() }
            }
        }
        mediator.stop(
            origin: .signal(origin), userInfo: reason(nil).userInfo,
            preparing: [turnOfApplication, reasons].compactMap(\.self))
    }

    /// The turn of the application's unit, if there is one. It needs the bus.
    private var turnOfApplication: StopPreparation? {
        guard let application, let unit else { return nil }
        return StopPreparation(.beginning, waitingFor: { [weak self] in self?.turn?.names ?? [] }) {
            [weak self, problem] done in
            self?.turn = UnitTurn(of: application, for: unit) { error in
                if let error {
                    problem("\(error), Stop= may run before what is ordered after \(application) has stopped")
                }
                done()
            }
        }
    }

    /// Asks the manager how the unit ends. `answer` gets what is known, nil if nothing more is, and whether nothing
    /// better will follow.
    private func ask(_ unit: ServiceManagerUnit, _ answer: @escaping (UnitEnding?, _ isLast: Bool) -> Void) {
        var isAsked = false
        unit.bus.addObserver { [weak unit, announced, application, timeout] isReady in
            guard isReady, !isAsked, let unit else { return }
            isAsked = true
            unit.ending(with: application, timeout: timeout) { found in
                guard case .success(var ending) = found else { return answer(nil, true) }
                guard unit.isOfUser else { return answer(ending, true) }
                (ending.shutdown, ending.isShutdownKnown) = (announced(), false)
                answer(ending, false)
                unit.shutdown(timeout: timeout) { found in
                    guard case .success(let shutdown) = found else { return answer(nil, true) }
                    (ending.shutdown, ending.isShutdownKnown) = (shutdown, true)
                    answer(ending, true)
                }
            }
        }
        unit.bus.connect()
    }
}

/// The reason of a stop signal.
package nonisolated struct StopReason: Sendable, Equatable {
    /// What `willTerminate` says.
    package let reason: Termination.Reason
    /// Whether a job stops the unit while the machine goes on, so that the unit is to stay stopped. False if the
    /// service manager has not said so: `reason` is `stop` also where that is only likely.
    package let isStopJob: Bool

    /// - Parameters:
    ///   - ending: the answer of the service manager; nil without one.
    ///   - isFromManager: whether the signal came from the manager's process.
    ///   - announced: the shutdown that logind has announced.
    package init(_ ending: UnitEnding?, isFromManager: Bool, announced: ShutdownKind?) {
        guard let ending else {
            (reason, isStopJob) = (isFromManager ? Termination.Reason(announced) : .signal, false)
            return
        }
        isStopJob = ending.job == .stop && ending.isShutdownKnown && ending.shutdown == nil
        reason =
            switch ending.job {
            case .restart: .restart
            case .stop: Termination.Reason(ending.shutdown)
            case nil: ending.isFailing ? Termination.Reason(ending.shutdown) : .signal
            }
    }

    /// For the stop that it is the reason of.
    fileprivate var userInfo: UserInfo { ["reason": .string(reason.rawValue)] }
}

nonisolated extension SignalOrigin {
    /// Whether the service manager sent it, that of the system or of a user.
    var isFromManager: Bool { pid == 1 || unit == "init.scope" }
}

nonisolated extension ApplicationEnding {
    /// `unitJob`: what the job of the application's unit does, `none` when it runs on, `over` when it has ended before,
    /// which is then the reason, with its result as the `error` unless that is a success.
    fileprivate var userInfo: UserInfo {
        switch self {
        case .job(let job): ["unitJob": .string(job.rawValue)]
        case .none: ["unitJob": "none"]
        case .over("success"), .over(""): Self.ended
        case .over(let result): Self.ended.merging(["error": .string("Result=\(result)")]) { $1 }
        }
    }

    private static let ended: UserInfo = [
        "unitJob": "over", "reason": .string(Termination.Reason.unitEnded.rawValue),
    ]
}

nonisolated extension Termination.Reason {
    /// The reason for this shutdown; `stop` without one.
    package init(_ shutdown: ShutdownKind?) {
        self =
            switch shutdown {
            case .reboot: .reboot
            case .powerOff: .powerOff
            case .halt: .halt
            case .kexec: .kexec
            case .softReboot: .softReboot
            case nil: .stop
            }
    }
}
