// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryConfiguration
internal import BelfryEventLoop
internal import Lifecycle

/// What becomes of one signal, worked out once and not at every delivery.
final class SignalRoute {
    let number: Int32
    /// `SIGUSR1`, `SIGRTMIN+5`.
    let name: String
    let action: SignalAction
    /// What `post` posts.
    let notification: LifecycleNotification.Name?
    /// Limits storms; nil for what must never wait.
    let gate: SignalGate?
    var source: SignalEventSource?

    init(_ number: Int32, _ action: SignalAction, gate: SignalGate?) {
        self.number = number
        self.action = action
        self.gate = gate
        name = SignalName.name(of: number).map { "SIG" + $0 } ?? "\(number)"
        notification = if case .post(let name) = action { LifecycleNotification.Name(name) } else { nil }
    }
}
