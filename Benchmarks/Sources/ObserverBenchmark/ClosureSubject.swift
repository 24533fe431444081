// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import CBenchmark
internal import Lifecycle

/// The least there is: an array of closures that get a notification.
final class ClosureSubject: ObserverSubject {
    let name = "closures"
    private var closures: [(LifecycleNotification) -> Void] = []
    private let notification = LifecycleNotification(
        name: .flushRequested, sequence: 1, time: LifecycleTime(realtimeUsec: 0, monotonicUsec: 0),
        previousState: .active, state: .active, origin: .service)

    init(observers: Int) { for _ in 0..<observers { closures.append { _ in benchmark_call() } } }

    func post() {
        let notification = notification
        for closure in closures { closure(notification) }
    }

    func addAndRemove() {
        closures.append { _ in benchmark_call() }
        closures.removeLast()
    }
}
