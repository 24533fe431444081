// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import Lifecycle

/// Posts `significantTimeChange` with the step when the clock was set. Clock corrections that are spread out over time
/// (adjtimex(2)) are none.
package final class ClockSource {
    private let mediator: LifecycleMediator
    private let readClocks: () -> ClockReading
    private var last: ClockReading

    /// Takes the clocks as they are now.
    package init(mediator: LifecycleMediator, readClocks: @escaping () -> ClockReading = { .now }) {
        self.mediator = mediator
        self.readClocks = readClocks
        last = readClocks()
    }

    /// Posts what has changed since the last call, if the clock was set.
    package func check() {
        let now = readClocks()
        let step = now.step(since: last)
        last = now
        if step != .zero { mediator.post(TimeChange.clock(step: step)) }
    }
}
