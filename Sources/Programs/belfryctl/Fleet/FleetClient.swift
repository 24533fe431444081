// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryClient
import BelfryEventLoop
import Varlink

/// Calls `io.belfry.Fleet` of belfry-fleetd.
@MainActor
struct FleetClient {
    /// Where belfry-fleetd listens.
    nonisolated static let socket = "/run/belfry-fleet/io.belfry.Fleet"

    private static let connectionHint =
        "is belfry-fleetd installed and running? see 'systemctl status belfry-fleetd'; use --socket for another one"
    private static let permissionHint = "root, the user belfry-fleet and members of the group belfry may do this"

    private let path: String
    private let context: CommandContext

    /// Connects to nothing yet.
    init(_ connection: ConnectionOptions, _ context: CommandContext) {
        path = connection.socket.flatMap { $0.isEmpty ? nil : $0 } ?? Self.socket
        self.context = context
    }

    /// Calls a method with one reply.
    ///
    /// - Parameters:
    ///   - verb: the verb of the error message.
    ///   - object: its object.
    func call(
        _ method: String, to verb: String, _ object: String, within limit: Duration?
    ) async throws(ClientFailure) -> JSONObject {
        do throws(ClientFailure) {
            return try await ServiceClient(path, on: context.loop)
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
            return try ServiceSocket.connect(path, on: context.loop)
        } catch {
            throw Self.explained(error)
        }
    }

    /// The failure of a call with several replies.
    static func failure(_ error: VarlinkError, to verb: String, _ object: String) -> ClientFailure {
        explained(ClientFailure(calling: error, to: verb, object))
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
