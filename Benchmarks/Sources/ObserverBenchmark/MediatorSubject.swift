// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import Belfry
internal import CBenchmark

/// Belfry's mediator, with the clock of the event loop, as a service has it.
final class MediatorSubject: ObserverSubject {
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

    func addAndRemove() { mediator.removeObserver(add()) }
}
