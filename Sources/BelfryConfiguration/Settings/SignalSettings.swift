// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// `[Signals]`: what each signal does. A signal that is not in here keeps its default.
package nonisolated struct SignalSettings: Sendable, Equatable {
    /// The actions by signal number.
    package var actions: [CInt: SignalAction] = [:]

    /// The signals and their actions in the order of their numbers.
    package var sorted: [(signal: CInt, action: SignalAction)] {
        actions.sorted { $0.key < $1.key }.map { (signal: $0.key, action: $0.value) }
    }

    init(_ section: EffectiveSection) {
        for setting in section.settings {
            do throws(ValueProblem) {
                actions[try SignalName.number(setting.key)] = try SignalAction(setting.text)
            } catch {
                fatalError("'\(setting.key)' was checked: \(error.message)")  // the resolver read it
            }
        }
    }
}
