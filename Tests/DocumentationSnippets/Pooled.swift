// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Belfry

final class PoolListener: LifecycleListener {
    private(set) var pool: Pool?

    var answers: [LifecycleAnswer] {
        on(.willFinishLaunching, deadline: .seconds(10)) { [self] _ in pool = try await Pool.connect() }
        on(.willTerminate) { [self] _ in await pool?.close() }
    }
}

/// Connections to a database.
struct Pool {
    static func connect() async throws -> Pool { Pool() }
    func close() async {}
}
