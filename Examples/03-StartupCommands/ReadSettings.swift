// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Lifecycle
import LifecycleTesting

/// Reads the settings, which takes 5 ms.
struct ReadSettings: StartupCommand {
    let clock: ManualClock

    func run(_ options: LaunchOptions) async throws { clock.block(for: .milliseconds(5)) }
}
