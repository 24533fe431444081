// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Lifecycle
import LifecycleTesting

/// Opens the store, without which the service is of no use.
struct OpenStore: StartupCommand {
    let isThere: Bool
    let clock: ManualClock

    func run(_ options: LaunchOptions) async throws {
        clock.advance(by: .milliseconds(120))
        if !isThere { throw LifecycleRefusal("unable to open '/var/lib/video': no such directory") }
    }
}
