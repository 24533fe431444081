// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Belfry

/// Sends what it has before the end.
final class SenderListener: LifecycleListener {
    struct Batch {}

    private let batches: [Batch] = []

    var answers: [LifecycleAnswer] {
        on(.willTerminate, deadline: .seconds(60)) { [self] _, progress in
            for (index, batch) in batches.enumerated() {
                try await send(batch)
                progress.report(nextWithin: .seconds(5), "\(index + 1) of \(batches.count) batches")
            }
        }
    }

    private func send(_ batch: Batch) async throws {}
}

/// Checks the port of a new configuration, and then uses it.
final class PortListener: LifecycleListener {
    var answers: [LifecycleAnswer] {
        on(.willReload) { [self] notification in try check(notification.port) }
        on(.didReload) { [self] notification in try listen(on: notification.port) }
    }

    private func check(_ port: Int) throws {}
    private func listen(on port: Int) throws {}
}

extension LifecycleNotification {
    var port: Int { configuration?[Int.self] ?? 8080 }
}
