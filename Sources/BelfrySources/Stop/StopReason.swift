// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import Lifecycle
package import BelfrySystemd

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
