// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import ArgumentParser
import BelfryClient
import Varlink

/// `belfryctl signals`.
struct SignalsCommand: ListCommand {
    static let configuration = CommandConfiguration(
        commandName: "signals", abstract: "List what each signal does.")
    static let method = "ListSignals"
    static let subject = "signals"

    @OptionGroup var connection: ConnectionOptions

    @Flag(help: "Print one JSON object.")
    var json = false

    @MainActor static func lines(_ reply: JSONObject, _ style: TextStyle) -> [String] {
        SignalTable.lines(reply, style)
    }
}
