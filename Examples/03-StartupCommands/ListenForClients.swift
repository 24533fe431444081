// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Lifecycle
import LifecycleTesting

/// Takes the port, without which the service is of no use. This takes 40 ms.
struct ListenForClients: StartupCommand {
    let isPortFree: Bool
    let clock: ManualClock

    func run(_ options: LaunchOptions) async throws {
        clock.block(for: .milliseconds(40))
        if !isPortFree { throw LifecycleRefusal("unable to listen on port 554: address in use") }
    }
}
