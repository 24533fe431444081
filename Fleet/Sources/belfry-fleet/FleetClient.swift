// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryClient
import BelfryCommandLine
import BelfryEventLoop
import BelfryJSON
import BelfryLinux
import Varlink

/// Calls `io.belfry.Fleet` of belfry-fleetd.
@MainActor
struct FleetClient {
    /// Where belfry-fleetd listens.
    nonisolated static let socket = "/run/belfry-fleet/io.belfry.Fleet"

    private static let connectionHint =
        "is belfry-fleetd installed and running? see 'systemctl status belfry-fleetd'; use --socket for another one"
    private static let permissionHint = "root, the user belfry-fleet and members of the group belfry may do this"

    private let context: CommandContext

    /// Connects to nothing yet.
    init(_ context: CommandContext) { self.context = context }

    /// Calls a method with one reply.
    ///
    /// - Parameters:
    ///   - verb: the verb of the error message.
    ///   - object: its object.
    func call(
        _ method: String, to verb: String, _ object: String, within limit: Duration?
    ) async throws(ClientFailure) -> JSONObject {
        do throws(ClientFailure) {
            return try await ServiceClient(context.path, on: context.loop, failure: Self.failure)
                .call(Self.full(method), to: verb, object, within: limit)
        } catch {
            throw Self.explained(error)
        }
    }

    /// The hosts that match a pattern. Says on standard error when the list may be old.
    func hosts(_ pattern: String? = nil) async throws(ClientFailure) -> FleetHosts {
        let reply = try await call("List", to: "list", "hosts", within: context.queryTimeout)
        let hosts = FleetHosts(reply, matching: pattern)
        if !hosts.areCurrent { context.note("belfry-fleetd has no connection to the broker, every host is unknown") }
        return hosts
    }

    /// A connection of its own for a call with several replies.
    func connect() throws(ClientFailure) -> VarlinkClient {
        do throws(ClientFailure) {
            return try ServiceSocket.connect(context.path, on: context.loop)
        } catch {
            throw Self.explained(error)
        }
    }

    /// The failure of a call.
    static func failure(_ error: VarlinkError, to verb: String, _ object: String) -> ClientFailure {
        guard case .failed(let name, let parameters) = error, let answer = answer(name, parameters) else {
            return explained(ClientFailure(calling: error, to: verb, object))
        }
        let reason = "unable to \(verb) '\(SystemError.escape(object))': \(answer.reason)"
        return answer.hint.map { ClientFailure(answer.status, reason, $0) } ?? ClientFailure(answer.status, reason)
    }

    /// What the errors of `io.belfry.Fleet` mean.
    private static func answer(
        _ name: String, _ parameters: JSONObject
    ) -> (status: CommandStatus, reason: String, hint: String?)? {
        let reason = parameters.textOrDash("reason")
        switch UTF8Text(name) {
        case "io.belfry.Fleet.NoView":
            let hint = "set View=yes in [Fleet] of /etc/belfry/fleet.conf, then 'systemctl restart belfry-fleetd'"
            return (.unavailable, "belfry-fleetd of this host has no view of the fleet", hint)
        case "io.belfry.Fleet.NoBroker":
            let hint = "is the broker running? see 'journalctl -u belfry-fleetd'"
            return (.unavailable, "no connection to the broker: \(reason)", hint)
        case "io.belfry.Fleet.NoSuchHosts":
            let hosts = parameters.textOrDash("hosts")
            return (.usage, "no host matches '\(hosts)'", "'belfry-fleet list' shows the hosts")
        case "io.belfry.Fleet.RollBusy":
            return (.unavailable, reason, FleetRoll.waysToEnd)
        case "io.belfry.Fleet.RollStopped":
            let host = parameters.text("host").map { " at \($0)" } ?? ""
            return (.failure, "stopped\(host): \(reason)", FleetRoll.waysToEnd)
        case "io.belfry.Fleet.NothingToContinue":
            return (.unavailable, "there is no rolling command that stopped", nil)
        case "io.belfry.Fleet.Overrun":
            return (.unavailable, "the output was read too slowly, later replies are missing", nil)
        default: return nil
        }
    }

    /// The full name of a method.
    nonisolated static func full(_ method: String) -> String { "io.belfry.Fleet.\(method)" }

    /// The failure with the hints that apply to belfry-fleetd.
    private static func explained(_ failure: ClientFailure) -> ClientFailure {
        guard let message = failure.lines.first else { return failure }
        if failure.status == .permission { return ClientFailure(.permission, message, permissionHint) }
        let isConnecting = failure.status == .unavailable && message.hasPrefix("unable to connect to ")
        return isConnecting ? ClientFailure(.unavailable, message, connectionHint) : failure
    }
}
