// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import Lifecycle

/// The actions in a configuration.
nonisolated extension SignalAction: CustomStringConvertible {
    private static let actions: [String: SignalAction] = [
        "stop": .stop, "stopNow": .stopNow, "reload": .reload, "pause": .pause, "resume": .resume,
        "interrupt": .interrupt, "control": .control, "ignore": .ignore,
    ]

    /// The names of the actions, sorted. Any other name is that of a notification.
    package static let names = actions.keys.sorted()

    /// The action of that name, or else the notification of that name.
    ///
    /// - Throws: `ValueProblem` if it is neither.
    package init(_ text: String) throws(ValueProblem) {
        let name = try NotificationName.name(text)
        if let action = Self.actions[text] {
            self = action
        } else {
            guard !name.isTransition else {
                let actions = "'pause', 'resume', 'interrupt', 'reload', 'stop'"
                throw ValueProblem("'\(name)' is part of a transition and cannot be posted, name an action: \(actions)")
            }
            self = .post(name)
        }
    }

    /// The name in a configuration.
    package var description: String {
        if case .post(let name) = self { return name.rawValue }
        return Self.actions.first { $0.value == self }?.key ?? ""
    }
}
