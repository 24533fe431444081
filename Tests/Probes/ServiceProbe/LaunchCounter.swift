// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Glibc
import Lifecycle

/// Counts the launches of its service, and says how many there were.
final class LaunchCounter: RestorableListener {
    nonisolated struct State: Codable, Sendable {
        var launches = 0
    }

    let name = "counter"
    let restorationIdentifier = "probe.counter"
    private var state = State()

    var answers: [LifecycleAnswer] {
        on(.didFinishLaunching) { [self] _ in
            state.launches += 1
            let line = "launch \(state.launches)\n"
            write(STDERR_FILENO, line, line.utf8.count)
        }
    }

    func encodeRestorableState() -> State { state }

    func decodeRestorableState(_ state: State) { self.state = state }
}
