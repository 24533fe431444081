// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import BelfrySystemd
package import Lifecycle

/// Stops the service at a signal, with the reason that the service manager gives for it.
///
/// The stop is accepted at once, so that nothing comes before it and a second signal cuts it short; it only begins when
/// the manager has said why, or has not for a moment. It is asked on its own socket where that may be, else on the bus.
/// That of a user does not know whether the machine ends: the system's is asked for it, and else logind's word counts.
package final class StopSource {
    /// How long a stop waits for its reason.
    private static let patience: Duration = .milliseconds(200)

    private let mediator: LifecycleMediator
    private let unit: ServiceManagerUnit?
    private let announced: () -> ShutdownKind?
    private let argumentsOfInit: () -> [String]
    private var direct: ServiceManagerUnit?

    /// - Parameters:
    ///   - unit: the unit of this process, if it is in one.
    ///   - announced: the end of the machine that was announced, if any was.
    ///   - argumentsOfInit: the arguments of process 1.
    package init(
        mediator: LifecycleMediator, unit: ServiceManagerUnit?, announced: @escaping () -> ShutdownKind?,
        argumentsOfInit: @escaping () -> [String] = { ProcessCommand.arguments(of: 1) }
    ) {
        self.mediator = mediator
        self.unit = unit
        self.announced = announced
        self.argumentsOfInit = argumentsOfInit
    }

    /// Stops the service, or leaves a stop that is under way no more time.
    package func stop(_ origin: SignalOrigin) {
        let isFromManager = origin.pid == 1 || origin.unit == "init.scope"
        // The end without a manager, at `systemctl reboot --force`.
        let last = origin.pid == 1 ? ShutdownKind(shutdownProgram: argumentsOfInit()) : nil
        func reason(_ ending: UnitEnding?) -> UserInfo {
            let reason = StopReason.reason(ending, isFromManager: isFromManager, announced: last ?? announced())
            return ["reason": .string(reason.rawValue)]
        }
        if last == nil, !mediator.isStopping { ask { [mediator] in mediator.addToStop(reason($0)) } }
        mediator.perform(.stop, origin: .signal(origin), userInfo: reason(nil))
    }

    /// Asks the manager how the unit ends, and has the stop wait for the answer.
    private func ask(then use: @escaping (UnitEnding) -> Void) {
        // At a shutdown the bus may go before the service does.
        direct = unit?.direct
        guard let unit = direct ?? unit, direct != nil || unit.bus.isReady else { return }
        let question = mediator.beginBackgroundTask(named: "reason of the stop", deadline: Self.patience)
        question.isSilent = true
        unit.bus.addObserver { [announced] isReady in
            guard isReady, !question.isEnded else { return }
            unit.ending(timeout: Self.patience) { answer in
                guard case .success(var ending) = answer else { return question.end() }
                if unit.isOfUser { ending.shutdown = announced() }
                use(ending)
                guard unit.isOfUser else { return question.end() }
                unit.shutdown(timeout: Self.patience) { answer in
                    if case .success(let shutdown) = answer {
                        ending.shutdown = shutdown
                        use(ending)
                    }
                    question.end()
                }
            }
        }
        unit.bus.connect()
    }
}

/// Decides why a service that was sent a stop signal has to stop.
package nonisolated enum StopReason {
    /// - Parameters:
    ///   - ending: what the service manager says; nil when it was not asked or did not answer in time.
    ///   - isFromManager: whether the signal came from the manager's process.
    ///   - announced: the end of the machine that logind has announced.
    package static func reason(
        _ ending: UnitEnding?, isFromManager: Bool, announced: ShutdownKind?
    ) -> Termination.Reason {
        guard let ending else { return isFromManager ? Termination.Reason(announced) : .signal }
        switch ending.job {
        case .restart: return .restart
        case .stop: return Termination.Reason(ending.shutdown)
        case nil: return ending.isUnderWay ? Termination.Reason(ending.shutdown) : .signal
        }
    }
}

nonisolated extension Termination.Reason {
    /// The reason of a stop at this end of the machine; a plain stop when it goes on.
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
