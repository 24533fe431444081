// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Logging
import ServiceLifecycle
import UnixSignals
import Work

actor Settings {
    private(set) var quality: Int

    init(_ work: Work) throws { quality = try work.quality() }

    /// Checks before it applies.
    func reload(_ work: Work) throws { quality = try work.quality() }
}

/// A graceful shutdown lets it finish the job in hand.
struct Jobs: Service {
    let work: Work, settings: Settings

    func run() async throws {
        while !Task.isShuttingDownGracefully {
            if let job = work.next() {
                try await work.finish(job, quality: settings.quality)
            } else {
                try await Task.sleep(for: .milliseconds(20))
            }
        }
        work.say("stopped")
    }
}

/// SIGUSR1 flushes, if somebody sends it when memory is short.
struct Signals: Service {
    let work: Work, settings: Settings

    func run() async throws {
        for await signal in await UnixSignalsSequence(trapping: .sighup, .sigusr1).cancelOnGracefulShutdown() {
            if signal == .sigusr1 { work.flush() }
            guard signal == .sighup else { continue }
            do { try await settings.reload(work) } catch { work.say("reload refused: \(error)") }
        }
    }
}

let work = Work()
let settings = try Settings(work)
let services: [any Service] = [Jobs(work: work, settings: settings), Signals(work: work, settings: settings)]
try await ServiceGroup(services: services, gracefulShutdownSignals: [.sigterm], logger: Logger(label: "worker")).run()
