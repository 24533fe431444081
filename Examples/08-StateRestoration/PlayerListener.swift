// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Belfry

/// Plays a minute of a film. Its position outlives the process.
final class PlayerListener: RestorableListener {
    nonisolated struct Position: Codable, Sendable {
        var film = "Metropolis"
        var minute = 0
    }

    let restorationIdentifier = "player"
    private var position = Position()

    func encodeRestorableState() -> Position { position }
    func decodeRestorableState(_ state: Position) { position = state }

    var answers: [LifecycleAnswer] {
        on(.didBecomeActive) { [self] _ in
            print("player: plays \(position.film) from minute \(position.minute)")
            position.minute += 1
        }
        on(.willResignActive) { [self] _ in print("player: stops at minute \(position.minute)") }
    }
}
