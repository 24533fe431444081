// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Glibc
import Varlink

/// Serves `io.belfry.Fleet` without a fleet: it replies what standard input tells it to, and prints each call.
final class StandInFleet {
    private var replies: [String: [JSONObject]] = [:]
    private var errors: [String: (name: String, parameters: JSONObject)] = [:]
    private var watches: [VarlinkRequest] = []

    func interface() throws -> VarlinkInterface {
        let names = ["List", "Watch", "History", "Send", "Roll", "Continue", "Cancel"]
        let methods = names.map { name in (name, { [unowned self] in answer($0, name) } as VarlinkInterface.Handler) }
        return try VarlinkInterface(fleetInterface, methods: Dictionary(uniqueKeysWithValues: methods))
    }

    /// `METHOD REPLY` adds a reply, and `METHOD ERROR=NAME PARAMETERS` an error at the end. Prints `ready`.
    func perform(_ line: String) {
        let words = line.split(separator: " ", maxSplits: 1).map(String.init)
        let isError = words[1].hasPrefix("ERROR=")
        let parts =
            isError ? words[1].dropFirst(6).split(separator: " ", maxSplits: 1).map(String.init) : ["", words[1]]
        let object = (try? JSONValue(json: Array(parts[1].utf8)))?.objectValue ?? [:]
        if isError {
            errors[words[0]] = (parts[0], object)
        } else {
            replies[words[0], default: []].append(object)
        }
        say("ready")
    }

    private func answer(_ request: VarlinkRequest, _ method: String) {
        say("\(method) \(JSONValue.object(request.parameters))")
        let error = errors[method]
        let answers = error != nil && !request.wantsMore ? [] : replies[method] ?? []
        let isWatch = method == "Watch"
        for (place, reply) in answers.enumerated() {
            request.reply(reply, continues: error != nil || place < answers.count - 1 || isWatch)
        }
        if let error { return request.fail("io.belfry.Fleet.\(error.name)", error.parameters) }
        if isWatch { watches.append(request) }
        if answers.isEmpty { request.reply() }
    }

    private func say(_ line: String) {
        print(line)
        fflush(nil)
    }
}

private let fleetInterface = """
    interface io.belfry.Fleet

    type Host (
      name: string,
      state: string,
      sinceUsec: ?int,
      ageUsec: ?int,
      version: ?string,
      bootId: ?string,
      sequence: ?int
    )

    method List() -> (hosts: []Host, isCurrent: bool)

    method Watch(hosts: ?string, names: ?[]string) -> (host: ?Host, notification: ?object, note: ?string)

    method History(hosts: ?string, after: ?int, timeoutUsec: ?int) -> (
      host: string,
      notification: ?object,
      outcome: ?string,
      reason: ?string
    )

    method Send(command: string, name: ?string, userInfo: ?object, hosts: ?string, timeoutUsec: ?int) -> (
      host: string,
      outcome: string,
      reason: ?string,
      result: ?object
    )

    method Roll(
      command: string,
      name: ?string,
      userInfo: ?object,
      hosts: ?string,
      away: int,
      healthyUsec: ?int,
      timeoutUsec: ?int,
      pauseUsec: ?int
    ) -> (host: ?string, step: string, reason: ?string)

    method Continue() -> (host: ?string, step: string, reason: ?string)

    method Cancel() -> ()

    error NoView()
    error NoBroker(reason: string)
    error NoSuchHosts(hosts: string)
    error RollStopped(host: ?string, reason: string)
    error RollBusy(reason: string)
    error NothingToContinue()
    """
