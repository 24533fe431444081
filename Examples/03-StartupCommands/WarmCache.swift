// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Lifecycle
import LifecycleTesting

/// Reads what will be asked for first, which takes 40 ms.
struct WarmCache: StartupCommand {
    let clock: ManualClock

    func run(_ options: LaunchOptions) async throws { clock.advance(by: .milliseconds(40)) }
}
