// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import ArgumentParser
import BelfryClient

/// `belfryctl resume`.
struct ResumeCommand: TransitionCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume", abstract: "Bring the service back, as SIGCONT does.",
        discussion: "Waits until that is done, and prints the state that was reached.")
    static let method = "Resume"

    @OptionGroup var connection: ConnectionOptions

    @Flag(help: "Print the reply as one JSON object.")
    var json = false
}
