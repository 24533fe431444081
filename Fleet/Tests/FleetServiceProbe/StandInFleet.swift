// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Glibc
import Varlink

/// Serves `io.belfry.Fleet` without a fleet: it replies what its arguments say, and prints each call.
final class StandInFleet {
    private var replies: [String: [JSONObject]] = [:]
    private var errors: [String: (name: String, parameters: JSONObject)] = [:]
    private var open: Set = ["Watch"]
    private var waiting: [VarlinkRequest] = []

    func interface() throws -> VarlinkInterface {
        let names = ["List", "Watch", "History", "Send", "Roll", "Continue", "Cancel"]
        let methods = names.map { name in (name, { [unowned self] in answer($0, name) } as VarlinkInterface.Handler) }
        return try VarlinkInterface(fleetInterfaceText, methods: Dictionary(uniqueKeysWithValues: methods))
    }

    /// `METHOD REPLY` adds a reply, `METHOD ERROR=NAME PARAMETERS` an error at the end, and `METHOD OPEN` leaves the call without
    /// an end.
    func add(_ text: String) {
        let words = text.split(separator: " ", maxSplits: 2).map(String.init)
        func object(_ text: String) -> JSONObject { (try? JSONValue(json: Array(text.utf8)))?.objectValue ?? [:] }
        if words[1] == "OPEN" {
            open.insert(words[0])
        } else if words[1].hasPrefix("ERROR=") {
            errors[words[0]] = (String(words[1].dropFirst(6)), object(words[2]))
        } else {
            replies[words[0], default: []].append(object(words[1...].joined(separator: " ")))
        }
    }

    private func answer(_ request: VarlinkRequest, _ method: String) {
        say("\(method) \(JSONValue.object(request.parameters))")
        let error = errors[method]
        let answers = error != nil && !request.wantsMore ? [] : replies[method] ?? []
        let isOpen = open.contains(method)
        for (place, reply) in answers.enumerated() {
            request.reply(reply, continues: error != nil || place < answers.count - 1 || isOpen)
        }
        if let error { return request.fail("io.belfry.Fleet.\(error.name)", error.parameters) }
        if isOpen { return waiting.append(request) }
        if answers.isEmpty { request.reply() }
    }

    private func say(_ line: String) {
        print(line)
        fflush(nil)
    }
}
