// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import ArgumentParser
import BelfryClient
import Varlink

/// `belfryctl actions`.
struct ActionsCommand: ListCommand {
    static let configuration = CommandConfiguration(
        commandName: "actions", abstract: "List the actions that listeners offer.",
        discussion: "'belfryctl perform' has one of them done.")
    static let method = "ListActions"
    static let subject = "actions"

    @OptionGroup var connection: ConnectionOptions

    @Flag(help: "Print one JSON object.")
    var json = false

    @MainActor static func lines(_ reply: JSONObject, _ style: TextStyle) -> [String] {
        ActionTable.lines(reply, style)
    }
}
