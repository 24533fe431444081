// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Foundation
import TestSupport
import Testing

/// A stand-in for belfryd in a private directory, and belfryctl connected to it.
final class StandIn {
    let directory: TemporaryDirectory
    let socket: String
    private(set) var service: ChildProgram?

    init(running: Bool = true) throws {
        directory = try TemporaryDirectory()
        socket = directory.path("io.belfry.Lifecycle")
        if running { try start() }
    }

    /// Makes a stand-in that answers every call with these messages.
    convenience init(answering messages: [String]) throws {
        try self.init(running: false)
        try start([directory.write("answer", messages.map { $0 + "\0" }.joined())])
    }

    func start(_ arguments: [String] = []) throws {
        let service = try ChildProgram("LifecycleServiceProbe", [socket] + arguments)
        #expect(service.line() == "ready")
        self.service = service
    }

    /// Kills it with SIGKILL; the socket file remains.
    func crash() { service = nil }

    func say(_ line: String) { service?.say(line) }

    /// Starts belfryctl with an environment for this stand-in.
    func ctl(_ arguments: String..., outputTo: Int32? = nil) throws -> ChildProgram {
        try ctl(arguments, outputTo: outputTo)
    }

    func ctl(_ arguments: [String], outputTo: Int32? = nil) throws -> ChildProgram {
        let environment = ["BELFRY_SOCKET": socket, "TZ": "UTC", "TERM": "xterm", "SAP_SHELL": "bash"]
        let program = try ChildProgram("belfryctl", arguments, environment: environment, outputTo: outputTo)
        program.companion = self
        return program
    }
}
