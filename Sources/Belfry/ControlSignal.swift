// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryConfiguration
internal import Lifecycle
internal import LifecycleListeners
internal import ServiceManager

/// What systemd's control signal SIGRTMIN+18 asks for, by the integer that comes with it (systemd,
/// `src/basic/common-signal.h`): 0x100 to 0x107 sets the log level, 0x300 says that memory is short.
final class ControlSignal {
    private let mediator: LifecycleMediator
    private let log: ServiceLog

    init(mediator: LifecycleMediator, log: ServiceLog) {
        self.mediator = mediator
        self.log = log
    }

    func obey(_ signal: SignalOrigin) {
        if let level = LogPriority(rawValue: Int(signal.value) - 0x100) {
            log.maximumLevel = level
            log.write(.notice, "log level is now \(level.name), asked by pid \(signal.pid)", .control)
        } else if signal.value == 0x300 {
            mediator.post(.didReceiveMemoryWarning, origin: .signal(signal))
        } else {
            let value = "0x" + String(signal.value, radix: 16)
            log.write(.notice, "unknown control value \(value) from pid \(signal.pid), ignoring", .control)
        }
    }
}
