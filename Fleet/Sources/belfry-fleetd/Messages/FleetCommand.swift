// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryJSON
import BelfrySystemd

/// A command to a host.
nonisolated struct FleetCommand: Sendable, Equatable {
    /// What it asks for.
    enum Action: Sendable, Equatable {
        case pause, resume, reload
        case post(name: String, userInfo: JSONObject)
        /// Whether all listeners of the service are healthy and the last call of none failed.
        case check
        /// The notifications of this boot after this number.
        case notifications(bootID: String?, after: Int64)

        /// What a service is asked for, by the word for it and its parameters; nil for any other word.
        init?(_ word: String, _ parameters: JSONObject) {
            switch UTF8Text(word) {
            case "pause": self = .pause
            case "resume": self = .resume
            case "reload": self = .reload
            case "post":
                guard let name = parameters["name"]?.stringValue else { return nil }
                self = .post(name: name, userInfo: parameters["userInfo"]?.objectValue ?? [:])
            default: return nil
            }
        }

        /// The word for it in `Accept=` and in messages.
        var word: String {
            switch self {
            case .pause: "pause"
            case .resume: "resume"
            case .reload: "reload"
            case .post: "post"
            case .check: "check"
            case .notifications: "after"
            }
        }
    }

    /// Its identity, random. A command that is sent again has the same.
    let id: String
    let action: Action
    /// When it is no longer to be obeyed, in microseconds of Unix time.
    let deadlineUsec: Int64

    init(id: String = IdentifierWords.random.text, _ action: Action, deadlineUsec: Int64) {
        self.id = id
        self.action = action
        self.deadlineUsec = deadlineUsec
    }

    /// - Returns: nil for what is no command.
    init?(_ payload: [UInt8]) {
        guard let object = try? JSONValue(json: payload).objectValue,
            let id = object["id"]?.stringValue, FleetName.isValid(id),
            let deadlineUsec = object["deadlineUsec"]?.intValue, let word = object["command"]?.stringValue
        else { return nil }
        if word.hasSameBytes(as: "after") {
            guard let after = object["after"]?.intValue else { return nil }
            action = .notifications(bootID: object["bootId"]?.stringValue, after: after)
        } else if word.hasSameBytes(as: "check") {
            action = .check
        } else {
            guard let asked = Action(word, object) else { return nil }
            action = asked
        }
        self.id = id
        self.deadlineUsec = deadlineUsec
    }

    var payload: [UInt8] {
        var object: JSONObject = [
            "id": .string(id), "command": .string(action.word), "deadlineUsec": .int(deadlineUsec),
        ]
        switch action {
        case .pause, .resume, .reload, .check: break
        case .post(let name, let userInfo):
            object["name"] = .string(name)
            object["userInfo"] = .object(userInfo)
        case .notifications(let bootID, let after):
            object["bootId"] = bootID.map { .string($0) }
            object["after"] = .int(after)
        }
        return JSONValue.object(object).json
    }
}
