// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import Belfry
internal import CBenchmark
internal import Foundation
internal import Lifecycle

/// Something with observers, each of which calls `benchmark_call`.
protocol Subject: AnyObject {
    var name: String { get }

    /// Posts so many times.
    func post(_ times: Int)
}

/// A subject to which one more observer can be added.
protocol ChangingSubject: Subject {
    /// Adds an observer and removes it.
    func addAndRemove()
}

/// Belfry's mediator, with the clock of the event loop, as a service has it.
final class MediatorSubject: ChangingSubject {
    let name = "Belfry"
    private let mediator: LifecycleMediator
    private var observations: [LifecycleObservation] = []

    init(observers: Int) throws {
        mediator = LifecycleMediator(clock: EventLoopClock(try MainEventLoop()))
        for _ in 0..<observers { observations.append(add()) }
    }

    private func add() -> LifecycleObservation {
        mediator.addObserver(forName: .flushRequested) { _ in benchmark_call() }
    }

    func post(_ times: Int) { for _ in 0..<times { mediator.post(.flushRequested) } }

    func addAndRemove() { add().cancel() }
}

/// A notification center of Foundation.
final class FoundationSubject: ChangingSubject {
    let name = "Foundation"
    private let center = NotificationCenter()
    private let flush = Notification.Name("flushRequested")
    private var tokens: [any NSObjectProtocol] = []

    init(observers: Int) { for _ in 0..<observers { tokens.append(add()) } }

    private func add() -> any NSObjectProtocol {
        center.addObserver(forName: flush, object: nil, queue: nil, using: Self.count)
    }

    // A closure of an actor that is passed to Foundation or to the standard library checks its actor in each call. The
    // peers do not pay for that, since Belfry's observers have no such check.
    private nonisolated static func count(_ notification: Notification) { benchmark_call() }

    func post(_ times: Int) { for _ in 0..<times { center.post(name: flush, object: nil) } }

    func addAndRemove() { center.removeObserver(add()) }
}

/// What an observer of Belfry gets.
private let example = LifecycleNotification(
    name: .flushRequested, sequence: 1, time: LifecycleTime(realtime: .zero, monotonic: .zero),
    previousState: .active, state: .active, origin: .service)

/// An array of structs with one closure each.
final class ClosureSubject: Subject {
    private struct Observer {
        let call: (LifecycleNotification) -> Void
    }

    let name = "closures"
    private var observers: [Observer] = []

    init(observers count: Int) { for _ in 0..<count { observers.append(Observer { _ in benchmark_call() }) } }

    func post(_ times: Int) {
        let notification = example
        for _ in 0..<times {
            for observer in observers { observer.call(notification) }
        }
    }
}
