// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

extension LifecycleMediator {
    /// Pauses the service for a sleep of the machine, which does not wait forever and may not come after all. What is
    /// reported is what was done for that alone, whoever else asks for a pause.
    package func pauseForSleep(_ completion: @escaping (TransitionReport) -> Void) {
        transitions.add(Transition(.pause, origin: .service, userInfo: [:], isRevocable: true, completion))
    }

    /// The sleep does not come: a pause for it that nobody was told of is given up.
    ///
    /// - Returns: false when listeners are being told of it; it goes on.
    package func revokePauseForSleep() -> Bool { transitions.revoke() }

    /// The sleep comes now: a pause under way ends before this returns, and waits neither for listeners nor for background
    /// tasks. A pause for the sleep that waits for its turn is given up.
    package func hurryPauseForSleep() { transitions.hurryPause() }

    /// How many pauses were asked for so far, those for a sleep not counted.
    package var pauses: Int { transitions.pauses }
}
