// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Foundation
import TestSupport
import Testing

/// A stand-in for belfry-fleetd in a private directory, and belfry-fleet connected to it.
final class StandIn {
    let directory: TemporaryDirectory
    let socket: String
    let service: ChildProgram?

    /// A stand-in with these replies, as FleetServiceProbe has them; nil for none that runs.
    init(_ replies: [String]?) throws {
        directory = try TemporaryDirectory()
        socket = directory.path("io.belfry.Fleet")
        service = try replies.map { [socket] in try ChildProgram("FleetServiceProbe", [socket] + $0) }
        if let service { #expect(service.line() == "ready") }
    }

    /// A stand-in that answers every call with these messages.
    init(answering messages: [String]) throws {
        directory = try TemporaryDirectory()
        socket = directory.path("io.belfry.Fleet")
        let answer = try directory.write("answer", messages.map { $0 + "\0" }.joined())
        let service = try ChildProgram("LifecycleServiceProbe", [socket, answer])
        #expect(service.line() == "ready")
        self.service = service
    }

    /// Starts belfry-fleet with these arguments, and `--socket` unless they are for another socket.
    func command(_ arguments: [String], isConnected: Bool = true) throws -> ChildProgram {
        let environment = ["BELFRY_SOCKET": socket, "TZ": "UTC", "TERM": "xterm", "SAP_SHELL": "bash"]
        let arguments = (isConnected ? ["--socket", socket] : []) + arguments
        let program = try ChildProgram("belfry-fleet", arguments, environment: environment)
        program.companion = self
        return program
    }

    /// Runs belfry-fleet with these arguments.
    func run(_ arguments: String...) throws -> ChildProgram.End { try command(arguments).end() }
}
