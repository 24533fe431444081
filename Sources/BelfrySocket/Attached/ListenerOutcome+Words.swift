// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryJSON
internal import Lifecycle

nonisolated extension ListenerOutcome {
    /// The outcome that a program may give by its word; nil for any other text.
    init?(_ word: String, reason: String?) {
        switch UTF8Text(word) {
        case "completed": self = .completed
        case "handled": self = .handled
        case "declined": self = .declined
        case "refused": self = .refused(reason ?? "no reason given")
        case "failed": self = .failed(reason ?? "no reason given")
        case "newData": self = .fetched(.newData)
        case "noData": self = .fetched(.noData)
        default: return nil
        }
    }
}
