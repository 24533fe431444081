// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import CBenchmark
internal import Lifecycle

/// The least there is: closures in an array, each in a struct, so that they are stored as they are called.
final class ClosureSubject: ObserverSubject {
    private struct Observer {
        let call: (LifecycleNotification) -> Void
    }

    let name = "closures"
    private var observers: [Observer] = []
    static let notification = LifecycleNotification(
        name: .flushRequested, sequence: 1, time: LifecycleTime(realtimeUsec: 0, monotonicUsec: 0),
        previousState: .active, state: .active, origin: .service)

    init(observers count: Int) { for _ in 0..<count { observers.append(Observer { _ in benchmark_call() }) } }

    func post(_ times: Int) {
        let notification = Self.notification
        for _ in 0..<times {
            for observer in observers { observer.call(notification) }
        }
    }

    func addAndRemove() {
        observers.append(Observer { _ in benchmark_call() })
        observers.removeLast()
    }
}
