// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import CSystemd
package import BelfryConfiguration
package import EventLoop
internal import Glibc
package import Lifecycle
internal import ServiceManager
package import SystemErrors

/// Turns signals into what the configuration says of them: transitions and notifications, with their sender.
///
/// A signal that is mapped is blocked and read from a descriptor. One that is not mapped is ignored: nothing that a
/// stranger sends may end the service by accident, and nothing piles up unread. Faults of the program itself (SIGSEGV
/// and its like) are left alone, and SIGCHLD stays blocked for those who wait for children.
package final class SignalSource {
    private let loop: MainEventLoop
    private let mediator: LifecycleMediator
    private let senders = SenderLookup()
    private var sources: [Int32: SignalEventSource] = [:]
    private var actions: [Int32: SignalAction] = [:]

    /// Called for `resume`, in place of that transition: whether the process had been stopped is for others to say.
    package var onContinue: ((SignalOrigin) -> Void)?
    /// Called for `stopNow`.
    package var onStopNow: ((SignalOrigin) -> Void)?
    /// Called for `control`, with the value that came with the signal.
    package var onControl: ((SignalOrigin) -> Void)?

    /// Makes a source that watches nothing yet. All signals must be blocked (`belfry_block_signals`).
    package init(loop: MainEventLoop, mediator: LifecycleMediator) {
        self.loop = loop
        self.mediator = mediator
    }

    /// Maps signals to actions, in place of those that were mapped before.
    package func apply(_ table: [Int32: SignalAction]) throws(SystemError) {
        actions = table.filter { $0.value != .ignore }
        for number in sources.keys where actions[number] == nil { sources[number] = nil }
        for number in 1...belfry_sigrtmax() where Self.isOurs(number) {
            try SystemError.check(
                belfry_set_ignored(number, actions[number] == nil), verb: "set up signal", object: "\(number)")
        }
        for number in actions.keys where sources[number] == nil {
            let source = try loop.source(signal: number) { [unowned self] in receive($0) }
            source.priority = SourcePriority.signals
            sources[number] = source
        }
    }

    /// Whether the signal is one that an operator may send: not a fault, not SIGCHLD, not one the C library keeps.
    private static func isOurs(_ number: Int32) -> Bool {
        SignalName.name(of: number) != nil && SignalName.whyNotMappable(number) == nil && number != SIGCHLD
    }

    private func receive(_ signal: ReceivedSignal) {
        guard let action = actions[signal.number] else { return }
        let origin = SignalOrigin(
            number: signal.number, name: SignalName.name(of: signal.number).map { "SIG" + $0 } ?? "\(signal.number)",
            pid: signal.senderPID, uid: signal.senderUID, unit: senders.unit(of: signal.senderPID), value: signal.value)
        switch action {
        case .stop:
            mediator.perform(.stop, origin: .signal(origin), userInfo: ["reason": reason(of: origin)])
        case .stopNow: onStopNow?(origin)
        case .reload: mediator.perform(.reload, origin: .signal(origin))
        case .pause: mediator.perform(.pause, origin: .signal(origin))
        case .resume: onContinue?(origin) ?? mediator.perform(.resume, origin: .signal(origin))
        case .interrupt: mediator.perform(.interrupt, origin: .signal(origin))
        case .control: onControl?(origin)
        case .ignore: break
        case .post(let name):
            guard let name = LifecycleNotification.Name(name) else { return }
            mediator.post(name, origin: .signal(origin))
        }
    }

    /// The service manager stops a unit with a signal from process 1; any other sender is someone's kill(1).
    private func reason(of origin: SignalOrigin) -> UserInfoValue {
        origin.pid == 1 || origin.unit == "init.scope" ? "stop" : "signal"
    }
}
