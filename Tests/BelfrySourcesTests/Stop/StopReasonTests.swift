// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Lifecycle
import BelfrySources
import BelfrySystemd
import Testing

struct StopReasonTests {
    nonisolated static let shutdowns: [(ShutdownKind?, Termination.Reason)] = [
        (.reboot, .reboot), (.powerOff, .powerOff), (.halt, .halt), (.kexec, .kexec), (.softReboot, .softReboot),
        (nil, .stop),
    ]

    @Test(arguments: shutdowns, [false, true])
    func stopJobIsWhatTheMachineComesTo(_ shutdown: (ShutdownKind?, Termination.Reason), isFromManager: Bool) {
        let ending = UnitEnding(job: .stop, isUnderWay: true, shutdown: shutdown.0)

        #expect(StopReason.reason(ending, isFromManager: isFromManager, announced: nil) == shutdown.1)
    }

    @Test(arguments: shutdowns, [false, true])
    func signalWithoutAJobIsSomeonesKill(_ shutdown: (ShutdownKind?, Termination.Reason), isFromManager: Bool) {
        // systemctl kill sends it from the manager's process.
        let ending = UnitEnding(job: nil, shutdown: shutdown.0)

        #expect(StopReason.reason(ending, isFromManager: isFromManager, announced: shutdown.0) == .signal)
    }

    @Test func restartIsARestart() {
        let ending = UnitEnding(job: .restart, isUnderWay: true)

        #expect(StopReason.reason(ending, isFromManager: true, announced: nil) == .restart)
    }

    @Test func managerMayStopAUnitWithoutAJob() {
        // As at the end of RuntimeMaxSec=.
        let ending = UnitEnding(job: nil, isUnderWay: true)

        #expect(StopReason.reason(ending, isFromManager: true, announced: nil) == .stop)
    }

    @Test(arguments: shutdowns)
    func withoutAnAnswerTheManagersSignalIsWhatLogindAnnounced(_ shutdown: (ShutdownKind?, Termination.Reason)) {
        #expect(StopReason.reason(nil, isFromManager: true, announced: shutdown.0) == shutdown.1)
    }

    @Test(arguments: shutdowns)
    func withoutAnAnswerAnyOtherSignalIsSomeonesKill(_ shutdown: (ShutdownKind?, Termination.Reason)) {
        #expect(StopReason.reason(nil, isFromManager: false, announced: shutdown.0) == .signal)
    }
}
