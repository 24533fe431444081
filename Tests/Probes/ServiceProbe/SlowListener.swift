// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Belfry

/// Takes so many seconds for one notification, and says all the time that it gets on; then it is done, or stalls.
final class SlowListener: LifecycleListener {
    let name = "probe"
    private let notification: LifecycleNotification.Name
    private let steps: Int
    private let stalls: Bool
    private let loop: MainEventLoop
    private var timer: TimerEventSource?

    init(_ notification: LifecycleNotification.Name, seconds: Int, stalls: Bool = false, loop: MainEventLoop) {
        self.notification = notification
        self.stalls = stalls
        steps = seconds * 10
        self.loop = loop
    }

    var answers: [LifecycleAnswer] {
        on(notification, deadline: .seconds(60)) { [self] _, progress in
            await withUnsafeContinuation { (done: UnsafeContinuation<Void, Never>) in
                step(1, progress) { done.resume() }
            }
        }
    }

    private func step(_ number: Int, _ progress: ListenerProgress, _ done: @escaping () -> Void) {
        guard number <= steps else { return stalls ? () : done() }
        timer = try? loop.timer(after: .milliseconds(100)) { [self] in
            progress.report(nextWithin: .seconds(stalls ? 1 : 2), "step \(number) of \(steps)")
            step(number + 1, progress, done)
        }
    }
}
