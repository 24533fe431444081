// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import Lifecycle

nonisolated extension ListenerOutcome {
    /// The outcome that a program may give by its word; nil for any other text.
    init?(_ word: String, reason: String?) {
        switch word {
        case "completed": self = .completed
        case "handled": self = .handled
        case "declined": self = .declined
        case "refused": self = .refused(reason ?? "no reason given")
        case "failed": self = .failed(reason ?? "no reason given")
        default:
            guard let result = FetchResult(rawValue: word) else { return nil }
            self = .fetched(result)
        }
    }
}
