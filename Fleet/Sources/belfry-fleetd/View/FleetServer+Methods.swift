// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryEventLoop
import BelfryJSON
import BelfrySystemd
import Lifecycle
import Logging
import Varlink

/// The methods of `io.belfry.Fleet`.
extension FleetServer {
    /// How long hosts may take to answer.
    private static let timeout = Duration.seconds(30)
    /// How many names a client may watch.
    private static let namesMax = 256
    /// Bytes of a command.
    private static let commandMax = 64 << 10

    private struct Method {
        var isControl = false
        var needsMore = true
        let answer: (FleetServer, VarlinkRequest, Parts) throws(FleetError) -> Void
    }

    private static let methods: [String: Method] = [
        "List": Method(needsMore: false) { server, request, _ in server.list(request) },
        "Watch": Method { server, request, parts throws(FleetError) in try server.watch(request, parts) },
        "History": Method { server, request, parts throws(FleetError) in try server.history(request, parts) },
        "Send": Method(isControl: true) { server, request, parts throws(FleetError) in
            try server.send(request, parts)
        },
        "Roll": Method(isControl: true) { server, request, parts throws(FleetError) in
            try server.roll(request, parts)
        },
        "Continue": Method(isControl: true) { server, request, parts throws(FleetError) in
            try server.checkBroker()
            parts.rolls.continue(request)
            server.setTimer()
        },
        "Cancel": Method(isControl: true, needsMore: false) { server, request, parts throws(FleetError) in
            if parts.rolls.owesResume { try server.checkBroker() }
            parts.rolls.cancel(request)
        },
    ]

    /// The handlers of all methods.
    var handlers: [String: VarlinkInterface.Handler] {
        Self.methods.mapValues { method in
            { [unowned self] request in
                if method.isControl, !permissions.allowControl(request.peer) {
                    logger.notice(
                        "refused \(request.method) of \(request.peer): permission denied", metadata: .kind(.client))
                    return request.fail(.permissionDenied)
                }
                if method.needsMore, !request.wantsMore { return request.fail(.expectedMore) }
                do throws(FleetError) {
                    guard let parts else { throw .noView }
                    try method.answer(self, request, parts)
                } catch {
                    request.fail(error.name, error.parameters)
                }
            }
        }
    }

    private func list(_ request: VarlinkRequest) {
        let hosts = view.names().compactMap { status($0)?.object }
        request.reply(["hosts": .array(hosts.map { .object($0) }), "isCurrent": .bool(view.isCurrent)])
    }

    private func watch(_ request: VarlinkRequest, _ parts: Parts) throws(FleetError) {
        let names = request.parameters["names"]?.arrayValue?.compactMap(\.stringValue)
        guard names?.count ?? 0 <= Self.namesMax, names?.allSatisfy(Self.isName) ?? true else {
            throw .invalidParameter("names")
        }
        let pattern = try pattern(request)
        if !view.isCurrent {
            request.reply(["note": .string("every host is unknown: \(brokerProblem)")], continues: true)
        }
        parts.watchers.add(request, pattern, names: names, hosts: view.names())
    }

    private func history(_ request: VarlinkRequest, _ parts: Parts) throws(FleetError) {
        let hosts = try hosts(request)
        let after = request.parameters["after"]?.intValue
        guard after ?? 0 >= 0 else { throw .invalidParameter("after") }
        let timeout = try time("timeoutUsec", request, default: Self.timeout)
        try checkBroker()
        let call = HistoryCall(request, hosts, after: after, within: timeout, parts.commands, limit) { [weak self] in
            self?.status($0)
        }
        parts.histories.begin(call, of: request.peer.uid)
    }

    private func send(_ request: VarlinkRequest, _ parts: Parts) throws(FleetError) {
        let action = try action(request)
        let hosts = try hosts(request)
        let timeout = try time("timeoutUsec", request, default: Self.timeout)
        try checkBroker()
        var rest = hosts.count
        var withdraw: () -> Void = {}
        let id = parts.commands.send(action, to: hosts, within: timeout) { [limit] host, answer in
            guard case .ending(let ending) = answer else { return }
            rest -= 1
            request.reply(JSONObject(ending, of: host), continues: rest > 0)
            if rest > 0, !limit.admits(request) { withdraw() }
        }
        withdraw = { parts.commands.withdraw(id) }
        request.onCancel = withdraw
    }

    private func roll(_ request: VarlinkRequest, _ parts: Parts) throws(FleetError) {
        let action = try action(request)
        guard action != .resume else { throw .invalidParameter("command") }
        guard let away = request.parameters["away"]?.intValue, away > 0 else { throw .invalidParameter("away") }
        var order = RollingPlan.Order(action: action, hosts: try hosts(request), awayMax: Int(clamping: away))
        order.healthy = try time("healthyUsec", request, default: order.healthy, from: 0)
        order.timeout = try time("timeoutUsec", request, default: order.timeout)
        order.pause = try time("pauseUsec", request, default: order.pause, from: 0)
        try checkBroker()
        parts.rolls.begin(order, request)
        setTimer()
    }

    // Parameters

    private func checkBroker() throws(FleetError) {
        guard view.isCurrent else { throw .noBroker(brokerProblem) }
    }

    private func pattern(_ request: VarlinkRequest) throws(FleetError) -> HostPattern {
        guard let pattern = HostPattern(request.parameters["hosts"]?.stringValue) else {
            throw .invalidParameter("hosts")
        }
        return pattern
    }

    /// The hosts that match, by name.
    private func hosts(_ request: VarlinkRequest) throws(FleetError) -> [String] {
        let pattern = try pattern(request)
        let hosts = view.names().filter(pattern.matches)
        if hosts.isEmpty { throw .noSuchHosts(request.parameters["hosts"]?.stringValue ?? "*") }
        return hosts
    }

    private func action(_ request: VarlinkRequest) throws(FleetError) -> FleetCommand.Action {
        let word = request.parameters["command"]?.stringValue ?? ""
        if word.hasSameBytes(as: "post"), !Self.isName(request.parameters["name"]?.stringValue ?? "") {
            throw .invalidParameter("name")
        }
        guard let action = FleetCommand.Action(word, request.parameters) else { throw .invalidParameter("command") }
        guard FleetCommand(action, deadlineUsec: 0).payload.count <= Self.commandMax else {
            throw .invalidParameter("userInfo")
        }
        return action
    }

    private func time(
        _ key: String, _ request: VarlinkRequest, default: Duration, from least: Int64 = 1
    ) throws(FleetError) -> Duration {
        guard let usec = request.parameters[key]?.intValue else { return `default` }
        guard usec >= least, .microseconds(usec) <= CommandSender.longestTimeout else { throw .invalidParameter(key) }
        return .microseconds(usec)
    }

    private static func isName(_ text: String) -> Bool { LifecycleNotification.Name(text) != nil }
}

/// Why a call of `io.belfry.Fleet` is refused.
nonisolated enum FleetError: Error {
    case noView
    case noBroker(String)
    case noSuchHosts(String)
    case invalidParameter(String)

    var name: String {
        switch self {
        case .noView: "io.belfry.Fleet.NoView"
        case .noBroker: "io.belfry.Fleet.NoBroker"
        case .noSuchHosts: "io.belfry.Fleet.NoSuchHosts"
        case .invalidParameter(let name): VarlinkServiceError.invalidParameter(name).name
        }
    }

    var parameters: JSONObject {
        switch self {
        case .noView: [:]
        case .noBroker(let reason): ["reason": .string(reason)]
        case .noSuchHosts(let hosts): ["hosts": .string(hosts)]
        case .invalidParameter(let name): VarlinkServiceError.invalidParameter(name).parameters
        }
    }
}

nonisolated extension JSONObject {
    /// A reply of `Send`.
    fileprivate init(_ ending: PendingCommands.Ending, of host: String) {
        self = ["host": .string(host), "outcome": .string(ending.word)]
        self["reason"] = ending.reason.map { .string($0) }
        if case .answered(_, _, let result) = ending { self["result"] = result.map { .object($0) } }
    }
}
