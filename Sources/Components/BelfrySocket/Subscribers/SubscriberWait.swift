// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryEventLoop
internal import BelfryLinux
internal import Varlink

/// Has calls wait for subscribers that are far behind, so that one that reads promptly gets everything, however fast a client
/// posts.
///
/// The wait ends when they have caught up, or after a limit. A user whose subscriber has not caught up then is not waited for
/// again for a while. So one that does not read, or reads slowly on purpose, takes little time of others.
package final class SubscriberWait {
    /// How long calls wait.
    package static let limit = Duration.milliseconds(20)
    private static let pause = Duration.seconds(1)

    private let server: VarlinkServer
    private let loop: MainEventLoop
    private let limit: Duration
    private var timer: TimerEventSource?
    private var awaited: [ObjectIdentifier: Subscriber] = [:]
    /// The users that were too slow, and since when they are not waited for.
    private var slow: [UInt32: MonotonicInstant] = [:]

    init(on server: VarlinkServer, _ loop: MainEventLoop, limit: Duration) {
        self.server = server
        self.loop = loop
        self.limit = limit
    }

    /// Waits for subscribers, unless their users were too slow.
    func begin(for subscribers: [Subscriber]) {
        let now = MonotonicInstant.now
        for subscriber in subscribers where !subscriber.isAwaited {
            if let since = slow[subscriber.request.peer.uid], now - since < Self.pause { continue }
            subscriber.isAwaited = true
            awaited[ObjectIdentifier(subscriber)] = subscriber
        }
        guard !awaited.isEmpty, !server.holdsCalls else { return }
        do throws(SystemError) {
            if let timer {
                try timer.fire(after: limit)
            } else {
                timer = try loop.timer(after: limit) { [unowned self] in giveUp() }
            }
            server.holdsCalls = true
        } catch {
            // Without a timer nobody waits.
            giveUp()
        }
    }

    /// The subscriber has caught up, or is gone.
    func end(for subscriber: Subscriber) {
        guard subscriber.isAwaited else { return }
        subscriber.isAwaited = false
        awaited[ObjectIdentifier(subscriber)] = nil
        guard awaited.isEmpty else { return }
        timer?.isEnabled = false
        server.holdsCalls = false
    }

    private func giveUp() {
        let now = MonotonicInstant.now
        slow = slow.filter { now - $0.value < Self.pause }
        for subscriber in awaited.values {
            subscriber.isAwaited = false
            slow[subscriber.request.peer.uid] = now
        }
        awaited = [:]
        server.holdsCalls = false
    }
}
