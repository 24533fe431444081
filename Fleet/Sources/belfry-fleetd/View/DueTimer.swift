// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryEventLoop
import BelfryLinux

/// A timer for the moment at which something is due next.
final class DueTimer {
    private let source: TimerEventSource

    /// A timer that is not set.
    ///
    /// - Throws: when the system has no memory left.
    init(on loop: MainEventLoop, _ handler: @escaping () -> Void) throws(SystemError) {
        source = try loop.timer(after: .zero, handler)
        source.isEnabled = false
    }

    var isSet: Bool { source.isEnabled }

    /// Sets it, or unsets it.
    func set(to moment: MonotonicInstant?) {
        if let moment {
            // It fails only after it was cancelled.
            try? source.fire(after: moment - .now)
        } else {
            source.isEnabled = false
        }
    }
}
