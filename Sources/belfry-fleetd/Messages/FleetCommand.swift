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
        /// The notifications of this boot after this number.
        case notifications(bootID: String?, after: Int64)

        /// The word for it in `Accept=` and in messages.
        var word: String {
            switch self {
            case .pause: "pause"
            case .resume: "resume"
            case .reload: "reload"
            case .post: "post"
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
        switch UTF8Text(word) {
        case "pause": action = .pause
        case "resume": action = .resume
        case "reload": action = .reload
        case "post":
            guard let name = object["name"]?.stringValue else { return nil }
            action = .post(name: name, userInfo: object["userInfo"]?.objectValue ?? [:])
        case "after":
            guard let after = object["after"]?.intValue else { return nil }
            action = .notifications(bootID: object["bootId"]?.stringValue, after: after)
        default: return nil
        }
        self.id = id
        self.deadlineUsec = deadlineUsec
    }

    var payload: [UInt8] {
        var object: JSONObject = [
            "id": .string(id), "command": .string(action.word), "deadlineUsec": .int(deadlineUsec),
        ]
        switch action {
        case .pause, .resume, .reload: break
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
