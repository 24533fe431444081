// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

nonisolated extension LifecycleNotification.Name {
    /// What the mediator has to know of a name.
    struct Traits: OptionSet {
        let rawValue: UInt8

        /// It belongs to a transition, so that only the state machine may post it.
        static let transition = Traits(rawValue: 1)
        /// Listeners are told in reverse order.
        static let leaving = Traits(rawValue: 2)

        /// The names that have any, by their hashes.
        static let known = Dictionary(
            uniqueKeysWithValues: all.map { (LifecycleNotification.Name.hash($0), (name: $0, traits: $1)) })

        private static let all: KeyValuePairs<String, Traits> = [
            "willFinishLaunching": .transition, "didFinishLaunching": .transition, "didBecomeActive": .transition,
            "willResignActive": [.transition, .leaving], "didEnterBackground": [.transition, .leaving],
            "willEnterForeground": .transition, "didResume": .transition, "willTerminate": [.transition, .leaving],
            "willReload": [.transition, .leaving], "didReload": .transition, "didFailToReload": .transition,
            "willSleep": .leaving, "willEncodeRestorableState": .leaving,
        ]
    }
}
