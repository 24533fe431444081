// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import ArgumentParser
import BelfryClient
import Varlink

/// `belfryctl listeners`.
struct ListenersCommand: ListCommand {
    static let configuration = CommandConfiguration(
        commandName: "listeners", abstract: "List the listeners, what they answer and how they do.")
    static let method = "ListListeners"
    static let subject = "listeners"

    @OptionGroup var connection: ConnectionOptions

    @Flag(help: "Print one JSON object.")
    var json = false

    @MainActor static func lines(_ reply: JSONObject, _ style: TextStyle) -> [String] {
        ListenerTable.lines(reply, style)
    }
}
