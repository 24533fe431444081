// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// Where the service is in a sleep of the machine. A pure value: it decides, and the source acts.
package nonisolated struct SleepPhase: Sendable, Equatable {
    /// What is to be done.
    package enum Step: Sendable, Equatable {
        /// Pause the service, and come back with `paused()`.
        case pause
        /// Post `willSleep`, and come back with `told()`.
        case tell
        /// Let the machine sleep.
        case release
        /// Post `didWake`, and come back with `woken()`.
        case wake
        /// Bring the service back to the foreground.
        case resume
        /// Ask for the next sleep to wait.
        case lock
    }

    private enum Phase: Sendable, Equatable {
        case awake, pausing, telling, asleep, waking
    }

    private var phase = Phase.awake
    private var resumes = false

    /// The machine is awake.
    package init() {}

    /// Whether the machine is about to sleep, asleep, or about to be told of as awake.
    package var isSleeping: Bool { phase != .awake }

    /// logind announces a sleep. `isForeground`: whether the service is where a pause leads out of.
    package mutating func announced(isForeground: Bool) -> [Step] {
        guard phase == .awake else { return [] }
        phase = .pausing
        resumes = isForeground
        return [.pause]
    }

    /// The pause is over.
    package mutating func paused() -> [Step] {
        guard phase == .pausing else { return [] }
        phase = .telling
        return [.tell]
    }

    /// All listeners have been told that the machine will sleep.
    package mutating func told() -> [Step] {
        guard phase == .telling else { return [] }
        phase = .asleep
        return [.release]
    }

    /// There is no more time to wait: those who were not told are told now.
    package mutating func timeIsUp() -> [Step] {
        defer { if phase == .pausing || phase == .telling { phase = .asleep } }
        return phase == .pausing ? [.tell, .release] : phase == .telling ? [.release] : []
    }

    /// The machine woke, or stays awake after all. Who was not told of the sleep is not told of its end.
    package mutating func ended() -> [Step] {
        switch phase {
        case .awake, .waking: return []
        case .pausing:
            phase = .awake
            return (resumes ? [.resume] : []) + [.lock]
        case .telling, .asleep:
            phase = .waking
            return [.lock, .wake]
        }
    }

    /// All listeners have been told that the machine woke.
    package mutating func woken() -> [Step] {
        guard phase == .waking else { return [] }
        phase = .awake
        return resumes ? [.resume] : []
    }
}
