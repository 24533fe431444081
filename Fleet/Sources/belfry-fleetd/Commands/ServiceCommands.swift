// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryClient
import BelfryEventLoop
import BelfryJSON
import Varlink

/// Has the service of this host do what a command asks for.
final class ServiceCommands {
    /// How many run at a time. The service does them in order.
    static let runningMax = 16
    /// How many listeners an answer to a check names.
    private static let problemsMax = 10

    private let socket: String
    private let loop: MainEventLoop
    private var running: [UTF8Text: (client: VarlinkClient, timer: TimerEventSource)] = [:]

    init(socket: String, on loop: MainEventLoop) {
        self.socket = socket
        self.loop = loop
    }

    var hasRoom: Bool { running.count < Self.runningMax }

    /// Does it, and calls `then` once with the answer.
    func perform(_ command: FleetCommand, now: Int64, then: @escaping (FleetReply) -> Void) {
        let id = command.id
        do {
            let client = try ServiceSocket.connect(socket, on: loop)
            let timer = try loop.timer(after: .microseconds(max(0, command.deadlineUsec.subtracting(now)))) {
                [weak self] in
                guard let self, running.removeValue(forKey: UTF8Text(id)) != nil else { return }
                client.close()
                then(FleetReply(id: id, .unknown, reason: "the service has not answered before the deadline"))
            }
            running[UTF8Text(id)] = (client, timer)
            let (method, parameters) = Self.call(command.action)
            client.call("\(ServiceClient.interface).\(method)", parameters) { [weak self] result in
                guard command.action == .check, case .success(let state) = result else {
                    self?.ended(command, result.map { FleetReply(id: id, .done, result: $0) }, then)
                    return
                }
                client.call("\(ServiceClient.interface).ListListeners") {
                    self?.ended(command, $0.map { Self.check($0, of: state, id) }, then)
                }
            }
        } catch let failure as ClientFailure {
            then(FleetReply(id: id, .failed, reason: failure.lines[0]))
        } catch {
            then(FleetReply(id: id, .failed, reason: "\(error)"))
        }
    }

    private func ended(
        _ command: FleetCommand, _ result: Result<FleetReply, VarlinkError>, _ then: (FleetReply) -> Void
    ) {
        let id = command.id
        guard let (client, timer) = running.removeValue(forKey: UTF8Text(id)) else { return }
        timer.cancel()
        client.close()
        switch result {
        case .success(let reply): then(reply)
        case .failure(let error):
            let failure = ClientFailure(calling: error, to: command.action.word, socket)
            // After a closed connection nobody knows how far the service came.
            if case .closed = error {
                then(FleetReply(id: id, .unknown, reason: failure.lines[0]))
            } else {
                then(FleetReply(id: id, .failed, reason: failure.lines.joined(separator: "; ")))
            }
        }
    }

    private static func check(_ listeners: JSONObject, of state: JSONObject, _ id: String) -> FleetReply {
        let problems = ListenerRecords.problems(listeners, of: state).prefix(problemsMax).joined(separator: "; ")
        return FleetReply(id: id, problems.isEmpty ? .done : .failed, reason: problems.isEmpty ? nil : problems)
    }

    private static func call(_ action: FleetCommand.Action) -> (method: String, parameters: JSONObject) {
        switch action {
        case .pause: ("Pause", [:])
        case .resume: ("Resume", [:])
        case .reload: ("Reload", [:])
        case .check, .notifications: ("GetState", [:])
        case .post(let name, let userInfo):
            ("Post", ["name": .string(name), "userInfo": .object(userInfo), "wait": true])
        }
    }
}
