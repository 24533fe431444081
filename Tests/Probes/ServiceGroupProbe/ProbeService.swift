// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Glibc
import ServiceLifecycle

/// A service that writes its events to standard error.
nonisolated struct ProbeService: Service {
    struct Failure: Error, CustomStringConvertible {
        var description: String { "the disk is on fire" }
    }

    private let name: String
    private let manner: String
    private let cue: AsyncStream<Never>

    init(_ name: String, _ manner: String, _ cue: AsyncStream<Never>) {
        self.name = name
        self.manner = manner
        self.cue = cue
    }

    func run() async throws {
        say("runs")
        switch manner {
        case "fail":
            for await _ in cue {}
            throw Failure()
        case "failLate":
            try await gracefulShutdown()
            throw Failure()
        default: try await gracefulShutdown()
        }
        say("has shut down")
    }

    private func say(_ text: String) {
        let line = "service \(name) \(text)\n"
        _ = line.utf8.withContiguousStorageIfAvailable { write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }
}
