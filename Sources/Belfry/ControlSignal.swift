// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryConfiguration
internal import Lifecycle
internal import BelfryListeners
internal import BelfrySystemd

/// What systemd's control signal SIGRTMIN+18 asks for, by the integer that comes with it (systemd,
/// `src/shared/common-signal.h`): 0x100 to 0x107 sets the log level, 0x200 to 0x203 the log target, 0x300 says that memory
/// is short, 0x301 asks what the allocator says of the heap.
final class ControlSignal {
    /// What systemd calls the console is standard error here, which is where its console output ends up for a service.
    private static let targets: [Int32: LoggerTarget] = [0x200: .stderr, 0x201: .journal, 0x202: .kmsg, 0x203: .null]
    private let mediator: LifecycleMediator
    private let log: ServiceLog

    init(mediator: LifecycleMediator, log: ServiceLog) {
        self.mediator = mediator
        self.log = log
    }

    func obey(_ signal: SignalOrigin) {
        if let level = LogPriority(rawValue: Int(signal.value) - 0x100) {
            log.set(level: level, by: .signal(signal))
        } else if let target = Self.targets[signal.value] {
            log.set(target: target, by: .signal(signal))
        } else if signal.value == 0x300 {
            mediator.post(MemoryWarning(.some), origin: .signal(signal))
        } else if signal.value == 0x301 {
            log.write(.info, RecordText(lines: MallocInformation.text), .control, by: .signal(signal))
        } else {
            let value = "0x" + String(signal.value, radix: 16)
            let from = LifecycleOrigin.signal(signal)
            log.write(.notice, "unknown control value \(value), \(from.words), ignoring", .control, by: from)
        }
    }
}
