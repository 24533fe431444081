// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import ArgumentParser
import BelfryClient

/// `belfryctl pause`.
struct PauseCommand: TransitionCommand {
    static let configuration = CommandConfiguration(
        commandName: "pause", abstract: "Bring the service to the background, as SIGTSTP does.",
        discussion: "Waits until that is done, and prints the state that was reached.")
    static let method = "Pause"

    @OptionGroup var connection: ConnectionOptions

    @Flag(help: "Print the reply as one JSON object.")
    var json = false
}
