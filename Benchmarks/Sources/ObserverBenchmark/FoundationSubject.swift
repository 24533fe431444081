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
        center.addObserver(forName: flush, object: nil, queue: nil, using: Self.count)
    }

    // On no actor, so that no call pays for a look whether it is on the right one.
    private nonisolated static func count(_ notification: Notification) { benchmark_call() }

    func post(_ times: Int) { for _ in 0..<times { center.post(name: flush, object: nil) } }

    func addAndRemove() { center.removeObserver(add()) }
}
