// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import CBenchmark
internal import Lifecycle

/// What one writes first: an array of closures. Bare in an array, each is stored in a wrapper for generic code, and pays
/// for it when it is called.
final class WrappedClosureSubject: ObserverSubject {
    let name = "wrapped closures"
    private var closures: [(LifecycleNotification) -> Void] = []
    private let notification = ClosureSubject.notification

    init(observers: Int) { for _ in 0..<observers { closures.append { _ in benchmark_call() } } }

    func post(_ times: Int) {
        let notification = notification
        for _ in 0..<times {
            for closure in closures { closure(notification) }
        }
    }

    func addAndRemove() {
        closures.append { _ in benchmark_call() }
        closures.removeLast()
    }
}
