// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Foundation
import Testing

/// A stand-in for belfryd in a private directory, and belfryctl connected to it.
final class StandIn {
    let folder: URL
    let socket: String
    private(set) var service: ChildProgram?

    init(running: Bool = true) throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("belfryctl-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        socket = folder.appendingPathComponent("io.belfry.Lifecycle").path
        if running { try start() }
    }

    isolated deinit {
        service = nil
        try? FileManager.default.removeItem(at: folder)
    }

    /// Makes a stand-in that answers every call with these messages.
    convenience init(answering messages: [String]) throws {
        try self.init(running: false)
        let file = folder.appendingPathComponent("answer")
        try Data(messages.map { $0 + "\0" }.joined().utf8).write(to: file)
        try start([file.path])
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
