// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import Foundation

/// A private message bus: dbus-daemon(1) on a socket in a private directory.
public final class PrivateBus {
    private let directory: TemporaryDirectory
    private var daemon: Process?

    /// Makes the directory of a bus. The daemon runs after `start()`.
    public init() throws {
        directory = try TemporaryDirectory()
        try directory.write(
            "bus.conf",
            """
            <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
             "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
            <busconfig>
              <listen>\(address)</listen>
              <auth>EXTERNAL</auth>
              <policy context="default">
                <allow send_destination="*"/>
                <allow own="*"/>
                <allow user="*"/>
                <allow receive_type="method_call"/>
                <allow receive_type="method_return"/>
                <allow receive_type="error"/>
                <allow receive_type="signal"/>
              </policy>
            </busconfig>
            """)
    }

    isolated deinit { stop() }

    /// The D-Bus address.
    public var address: String { "unix:path=\(directory.path("bus"))" }

    /// Starts the daemon, and does not wait until it listens.
    public func start() throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/dbus-daemon")
        process.arguments = ["--config-file=\(directory.path("bus.conf"))", "--nofork", "--nopidfile"]
        process.standardError = FileHandle.nullDevice
        try process.run()
        daemon = process
    }

    /// Sends the daemon a signal.
    public func send(_ signal: Int32) {
        if let daemon { kill(daemon.processIdentifier, signal) }
    }

    /// Kills the daemon. The file of its socket remains, as after a crash.
    public func stop() {
        send(SIGKILL)
        daemon?.waitUntilExit()
        daemon = nil
    }
}
