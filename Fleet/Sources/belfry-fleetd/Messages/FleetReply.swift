// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryJSON

/// The answer of a host to a command.
nonisolated struct FleetReply: Sendable, Equatable {
    enum Outcome: String, Sendable, CaseIterable {
        /// The service has done it.
        case done
        /// The service has tried, and failed or refused.
        case failed
        /// The host does not accept it, and has done nothing.
        case refused
        /// It came after its deadline, and the host has done nothing.
        case late
        /// The host began with it and does not know how it ended, because belfry-fleetd was killed.
        case unknown
    }

    enum Content: Sendable, Equatable {
        /// The last answer.
        case outcome(Outcome, reason: String?, result: JSONObject?)
        /// One of the notifications that the command asked for; more follow.
        case notification(JSONObject)
    }

    /// The command.
    let id: String
    let content: Content

    init(id: String, _ content: Content) {
        self.id = id
        self.content = content
    }

    init(id: String, _ outcome: Outcome, reason: String? = nil, result: JSONObject? = nil) {
        self.init(id: id, .outcome(outcome, reason: reason, result: result))
    }

    /// - Returns: nil for what is no answer.
    init?(_ payload: [UInt8]) {
        guard let object = try? JSONValue(json: payload).objectValue else { return nil }
        self.init(object)
    }

    init?(_ object: JSONObject) {
        guard let id = object["id"]?.stringValue, FleetName.isValid(id) else { return nil }
        if let notification = object["notification"]?.objectValue {
            self.init(id: id, .notification(notification))
        } else if let outcome = object["outcome"]?.stringValue.flatMap(Outcome.init(bytes:)) {
            self.init(id: id, outcome, reason: object["reason"]?.stringValue, result: object["result"]?.objectValue)
        } else {
            return nil
        }
    }

    /// The outcome; nil if more answers follow.
    var outcome: Outcome? { if case .outcome(let outcome, _, _) = content { outcome } else { nil } }

    var object: JSONObject {
        var object: JSONObject = ["id": .string(id)]
        switch content {
        case .outcome(let outcome, let reason, let result):
            object["outcome"] = .string(outcome.rawValue)
            object["reason"] = reason.map { .string($0) }
            object["result"] = result.map { .object($0) }
        case .notification(let notification): object["notification"] = .object(notification)
        }
        return object
    }

    var payload: [UInt8] { JSONValue.object(object).json }
}
