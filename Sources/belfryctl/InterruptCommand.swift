// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import ArgumentParser
import BelfryClient

/// `belfryctl interrupt`.
struct InterruptCommand: TransitionCommand {
    static let configuration = CommandConfiguration(
        commandName: "interrupt", abstract: "Make the service inactive for a short time, until it is resumed.",
        discussion: "Waits until that is done, and prints the state that was reached.")
    static let method = "Interrupt"

    @OptionGroup var connection: ConnectionOptions

    @Flag(help: "Print the reply as one JSON object.")
    var json = false
}
