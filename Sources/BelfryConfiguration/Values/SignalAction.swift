// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// What a signal does.
package nonisolated enum SignalAction: Sendable, Hashable, CustomStringConvertible {
    /// Stops the service in order.
    case stop
    /// Stops the service at once, after its status went to the journal.
    case stopNow
    /// Reads the configuration again.
    case reload
    /// Brings the service to the background.
    case pause
    /// Brings it back.
    case resume
    /// Makes it inactive until it is resumed.
    case interrupt
    /// Does what the queued value says, by systemd's convention for SIGRTMIN+18.
    case control
    /// Nothing.
    case ignore
    /// Posts the notification of this name.
    case post(String)

    private static let actions: [String: SignalAction] = [
        "stop": .stop, "stopNow": .stopNow, "reload": .reload, "pause": .pause, "resume": .resume,
        "interrupt": .interrupt, "control": .control, "ignore": .ignore,
    ]

    /// The names of the actions, sorted; whatever else is written names a notification.
    package static let names = actions.keys.sorted()

    /// An action by its exact name, or else the notification of that name.
    ///
    /// - Throws: `ValueProblem` when it could be neither.
    package init(_ text: String) throws(ValueProblem) {
        let name = try NotificationName.parse(text)
        if let action = Self.actions[name] {
            self = action
        } else {
            guard !NotificationName.transitions.contains(name) else {
                let actions = "'pause', 'resume', 'interrupt', 'reload', 'stop'"
                throw ValueProblem("'\(name)' is part of a transition and cannot be posted, name an action: \(actions)")
            }
            self = .post(name)
        }
    }

    /// The name as it is written in a configuration.
    package var description: String {
        if case .post(let name) = self { return name }
        return Self.actions.first { $0.value == self }?.key ?? ""
    }
}
