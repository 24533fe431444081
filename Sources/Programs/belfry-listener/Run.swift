// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryEventLoop
import BelfryJSON

/// One run of the program: for a notification, for several of one name, or for an attachment.
nonisolated struct Run: Sendable, Equatable {
    /// The name of the notification; empty for an attachment.
    let name: String
    /// That of the command of an application, as the service names it; nil for none, and for another program.
    var key: String?
    /// The last notification, or the state of the service at the attachment.
    var content: JSONObject
    /// The service waits for the answers to these.
    var tokens: [String]
    /// How many notifications it is for.
    var count = 1
    /// When the service no longer waits.
    var deadline: MonotonicInstant
    /// Whether it is a run of `Health=`, for which nobody waits.
    var isHealth = false

    /// The outcome for the service. Whatever goes wrong at `willReload` refuses the new configuration.
    func outcome(_ result: RunResult) -> (word: String, reason: String?) {
        switch result {
        case .succeeded: ("completed", nil)
        case .failed(let reason): (name.hasSameBytes(as: "willReload") ? "refused" : "failed", reason)
        case .overran(let reason): ("overran", reason)
        case .interrupted: ("failed", "ended for a notification")
        }
    }
}

/// How a run ended.
nonisolated enum RunResult: Sendable, Equatable {
    /// Its last line of standard output says what it did.
    case succeeded(String? = nil)
    case failed(String)
    /// It was ended at its deadline. The service has the same deadline, so it gets no answer and reports the run as
    /// late.
    case overran(String)
    /// A run of `Health=` was ended, because a notification has come.
    case interrupted

    /// Why it failed or was ended at its deadline; nil for any other end.
    var reason: String? {
        switch self {
        case .succeeded, .interrupted: nil
        case .failed(let reason), .overran(let reason): reason
        }
    }

    /// What it did; nil if it said nothing.
    var work: String? { if case .succeeded(let work) = self { work } else { nil } }

    /// What it counts as if a failure is ignored.
    var ignoringFailure: RunResult { reason == nil ? self : .succeeded() }
}
