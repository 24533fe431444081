// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import CBenchmark
internal import Foundation

/// Foundation's notification center, one of its own.
final class FoundationSubject: ObserverSubject {
    let name = "Foundation"
    private let center = NotificationCenter()
    private let flush = Notification.Name("flushRequested")
    private var tokens: [any NSObjectProtocol] = []

    init(observers: Int) { for _ in 0..<observers { tokens.append(add()) } }

    private func add() -> any NSObjectProtocol {
        center.addObserver(forName: flush, object: nil, queue: nil) { _ in benchmark_call() }
    }

    func post() { center.post(name: flush, object: nil) }

    func addAndRemove() { center.removeObserver(add()) }
}
