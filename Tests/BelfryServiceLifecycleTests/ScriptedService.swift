// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import ServiceLifecycle

/// A service that writes its life down and ends as the test wants it to.
nonisolated struct ScriptedService: Service {
    struct Failure: Error, Equatable, CustomStringConvertible {
        var description: String { "out of luck" }
    }

    enum Manner {
        /// Until the graceful shutdown.
        case serving
        /// Until it is cancelled.
        case stubborn
        /// Until the cue; then it returns.
        case finishing(Cue)
        /// Until the cue; then it throws.
        case failing(Cue)
        /// Until the graceful shutdown; then it throws.
        case failingLate
    }

    private let name: String
    private let manner: Manner
    private let journal: ServiceJournal

    init(_ name: String, _ manner: Manner, _ journal: ServiceJournal) {
        self.name = name
        self.manner = manner
        self.journal = journal
    }

    func run() async throws {
        journal.write("\(name) runs")
        switch manner {
        case .serving: try await gracefulShutdown()
        case .stubborn: await Cue().wait()
        case .finishing(let cue): await cue.wait()
        case .failing(let cue):
            await cue.wait()
            throw Failure()
        case .failingLate:
            try await gracefulShutdown()
            throw Failure()
        }
        journal.write(Task.isCancelled ? "\(name) was cancelled" : "\(name) has shut down")
    }
}
