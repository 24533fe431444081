// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import Foundation

/// A private place for a service: runtime directory, configuration and a socket for the messages to the service manager.
public final class DaemonFixture {
    /// The directory that the service may write to.
    public let directory = try! TemporaryDirectory()  // Without it, no test can do anything.
    /// The stand-in for the service manager.
    public let manager: StandInSocket

    /// Makes an empty one.
    public init() {
        manager = try! StandInSocket(at: directory.path("notify"))  // the directory is empty
    }

    /// Starts belfryd, or another program with the arguments in front, with this configuration.
    public func start(
        _ program: String = "belfryd", _ arguments: [String]? = nil, _ configuration: String = "",
        environment: [String: String] = [:], hasManager: Bool = true
    ) throws -> ProbeProcess {
        let file = try directory.write("belfry.conf", configuration)
        var variables = [
            "RUNTIME_DIRECTORY": directory.path("run"), "STATE_DIRECTORY": directory.url.path,
            "SWIFT_BACKTRACE": "enable=no",
        ]
        if hasManager { variables["NOTIFY_SOCKET"] = manager.path }
        let process = try ProbeProcess(
            program, arguments.map { $0 + [file] } ?? ["--config", file],
            environment: variables.merging(environment) { $1 }, reading: .error)
        process.whileFinishing = { [manager] in manager.answerBarriers() }
        return process
    }

    /// Starts belfryd and waits until it is ready.
    public func startReady(_ configuration: String = "") throws -> ProbeProcess {
        try startReady("belfryd", nil, configuration)
    }

    /// Starts another program as `start` does, and waits until it is ready.
    public func startReady(
        _ program: String, _ arguments: [String]?, _ configuration: String = ""
    ) throws -> ProbeProcess {
        let daemon = try start(program, arguments, configuration)
        guard manager.wait(for: "READY=1") else { throw WaitTimeout(for: "READY=1") }
        return daemon
    }

    /// Runs belfryctl on the socket of the service.
    public func control(
        _ arguments: String..., reading stream: ProbeProcess.Stream = .output
    ) throws -> (lines: [String], status: Int32) {
        try control(arguments, reading: stream)
    }

    /// Runs belfryctl on the socket of the service.
    public func control(
        _ arguments: [String], reading stream: ProbeProcess.Stream = .output
    ) throws -> (lines: [String], status: Int32) {
        let socket = directory.path("run/io.belfry.Lifecycle")
        return try ProbeProcess("belfryctl", ["--socket", socket] + arguments, reading: stream).finish()
    }
}
