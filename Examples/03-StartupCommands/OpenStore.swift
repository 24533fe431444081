// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Lifecycle
import LifecycleTesting

/// Opens the store, which takes 120 ms, and closes it again if the launch is refused.
struct OpenStore: StartupCommand {
    let clock: ManualClock

    func run(_ options: LaunchOptions) async throws {
        clock.block(for: .milliseconds(120))
        print("store: open")
    }

    func undo() async throws { print("store: closed") }
}
