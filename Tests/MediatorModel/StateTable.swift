// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import Lifecycle

/// A second table of the owed steps: NOTIFICATION>STATE, `-` for a step without a notification. A trigger that is missing has no
/// effect in that state.
package nonisolated enum StateTable {
    package struct Step: Sendable {
        package let name: LifecycleNotification.Name?
        package let from: LifecycleState
        package let to: LifecycleState
        /// `did…` is delivered in the new state, `will…` in the old one.
        var isArrival: Bool { name?.rawValue.hasPrefix("did") ?? true }
    }

    package static func steps(
        _ state: LifecycleState, _ trigger: LifecycleTrigger, isPaused: Bool = false, hasFailedPause: Bool = false
    ) -> [Step] {
        let special =
            switch (state, trigger) {
            case (_, .launch) where isPaused: "Paused"
            case (.background, .pause) where hasFailedPause: "Failed"
            default: ""
            }
        return table["\(state) \(trigger)\(special)"] ?? []
    }

    private static let table: [String: [Step]] = {
        var table: [String: [Step]] = [:]
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ").map(String.init)
            var state = words[0]
            table["\(words[0]) \(words[1])"] = words.dropFirst(2).map { word in
                let parts = word.split(separator: ">").map(String.init)
                // A resuming service was suspended, in any state; after a SIGCONT that is not known.
                let from = parts[0] == "didResume" && words[1] != "continued" ? "suspended" : state
                state = parts[1]
                return Step(
                    name: LifecycleNotification.Name(parts[0]), from: LifecycleState(rawValue: from) ?? .notRunning,
                    to: LifecycleState(rawValue: state) ?? .notRunning)
            }
        }
        return table
    }()

    private static let text = """
        notRunning launch willFinishLaunching>inactive didFinishLaunching>inactive didBecomeActive>active
        notRunning launchPaused willFinishLaunching>inactive didFinishLaunching>inactive didEnterBackground>background
        inactive refuseLaunch willTerminate>notRunning
        inactive pause didEnterBackground>background
        inactive resume didBecomeActive>active
        inactive continued didBecomeActive>active
        inactive endSuspension didResume>inactive
        inactive reload willReload>inactive didReload>inactive
        inactive stop didEnterBackground>background willTerminate>notRunning
        active pause willResignActive>inactive didEnterBackground>background
        active interrupt willResignActive>inactive
        active continued didResume>active
        active endSuspension didResume>active
        active reload willReload>active didReload>active
        active stop willResignActive>inactive didEnterBackground>background willTerminate>notRunning
        background pauseFailed didEnterBackground>background
        background resume willEnterForeground>inactive didBecomeActive>active
        background continued willEnterForeground>inactive didBecomeActive>active
        background suspend ->suspended
        background endSuspension didResume>background willEnterForeground>inactive didBecomeActive>active
        background reload willReload>background didReload>background
        background stop willTerminate>notRunning
        suspended resume didResume>background willEnterForeground>inactive didBecomeActive>active
        suspended continued didResume>background willEnterForeground>inactive didBecomeActive>active
        suspended endSuspension didResume>background willEnterForeground>inactive didBecomeActive>active
        suspended reload willReload>suspended didReload>suspended
        suspended stop willTerminate>notRunning
        """
}
