// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

public import BelfryEventLoop

extension MainEventLoop {
    /// Turns the loop until `condition` holds.
    ///
    /// - Throws: when that takes longer than a minute: a suite's own time limit cannot end what never waits.
    public func turn(until condition: () -> Bool) throws {
        let start = MonotonicInstant.now
        while !condition() {
            guard MonotonicInstant.now - start < .seconds(60) else {
                throw NeverHappened(what: "what the loop was turned for")
            }
            try turn(waiting: .milliseconds(5))
        }
    }
}
