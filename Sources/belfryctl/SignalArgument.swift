// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import ArgumentParser
import BelfryConfiguration

/// A signal by its name, with or without `SIG`.
struct SignalArgument: Sendable {
    /// The name, without `SIG`.
    let name: String

    init(_ text: String) throws {
        do throws(ValueProblem) {
            let number = try SignalName.number(text)
            name = SignalName.name(of: number) ?? text
        } catch {
            throw ValidationError(error.message)
        }
    }

    /// What to complete it with.
    static let completion = CompletionKind.list(["TERM", "INT", "HUP", "TSTP", "CONT", "USR1", "USR2", "PWR", "QUIT"])
}
