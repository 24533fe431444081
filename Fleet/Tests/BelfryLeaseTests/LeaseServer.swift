// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Foundation
import TestSupport

/// The FleetLock server of the tests, as a child of the test.
final class LeaseServer {
    let port: Int
    private let process = Process()
    private let pipe = Pipe()
    private var text = ""

    init(_ arguments: [String] = []) throws {
        process.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
        process.arguments = [ProjectFile.url("Fleet/Tests/BelfryLeaseTests/lease_server.py").path] + arguments
        process.standardOutput = pipe
        process.standardError = FileHandle.nullDevice
        try process.run()
        var first = Data()
        while first.last != 10, let more = try pipe.fileHandleForReading.read(upToCount: 1), !more.isEmpty {
            first += more
        }
        guard let port = Int(String(decoding: first.dropLast(), as: UTF8.self)) else { throw POSIXError(.EPROTO) }
        self.port = port
    }

    isolated deinit { stop() }

    /// Ends it, and returns the requests that it has answered.
    @discardableResult
    func stop() -> [String] {
        guard process.isRunning else { return [] }
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        let output = (try? pipe.fileHandleForReading.readToEnd()) ?? Data()
        return String(decoding: output, as: UTF8.self).split(separator: "\n").map(String.init)
    }
}
