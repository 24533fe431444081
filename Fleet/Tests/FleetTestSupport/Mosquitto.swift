// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryEventLoop
internal import Foundation
internal import TestSupport

/// A mosquitto(8) of the test, on a port of its own.
public final class Mosquitto {
    /// The port on the loopback address.
    public let port: UInt16
    private let directory: TemporaryDirectory
    private var process: Process?

    /// Starts it with `configuration`, in which `PORT` and `DIRECTORY` stand for its port and a private directory.
    public init(_ configuration: String = "allow_anonymous true\nlistener PORT 127.0.0.1\n") throws {
        port = try LoopbackSocket.freePort()
        directory = try TemporaryDirectory()
        let text = configuration.replacing("PORT", with: "\(port)").replacing("DIRECTORY", with: directory.path(""))
        // Otherwise it changes to a user of its own, who cannot read the files of the test.
        try directory.write("mosquitto.conf", "\(text)\nuser root\nlog_dest none\n")
        try start()
    }

    isolated deinit { kill() }

    /// Starts it, and waits until it listens.
    public func start() throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/sbin/mosquitto")
        process.arguments = ["-c", directory.path("mosquitto.conf")]
        process.standardError = FileHandle.nullDevice
        try process.run()
        self.process = process
        let start = MonotonicInstant.now
        while !LoopbackSocket.isListening(port) {
            guard process.isRunning, MonotonicInstant.now - start < .seconds(20) else { throw POSIXError(.ETIMEDOUT) }
            sched_yield()
        }
    }

    /// Whether the file in which it keeps retained messages has this text.
    public func hasStored(_ text: String) -> Bool {
        let stored = try? Data(contentsOf: URL(fileURLWithPath: directory.path("mosquitto.db")))
        return stored?.range(of: Data(text.utf8)) != nil
    }

    /// Sends it a signal.
    public func send(_ signal: Int32) {
        if let process { Foundation.kill(process.processIdentifier, signal) }
    }

    /// Kills it.
    public func kill() {
        send(SIGKILL)
        process?.waitUntilExit()
        process = nil
    }
}
