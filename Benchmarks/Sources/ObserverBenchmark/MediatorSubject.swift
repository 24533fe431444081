// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import CBenchmark
internal import Lifecycle

/// Belfry's mediator, with the real clocks.
final class MediatorSubject: ObserverSubject {
    private final class Clock: LifecycleClock {
        var now: LifecycleTime {
            let nanoseconds = benchmark_now()
            return LifecycleTime(realtimeUsec: benchmark_realtime() / 1000, monotonicUsec: nanoseconds / 1000)
        }

        func schedule(after delay: Duration, _ body: @escaping () -> Void) -> any LifecycleTimer {
            preconditionFailure("observers have no deadline")
        }
    }

    let name = "Belfry"
    private let mediator = LifecycleMediator(clock: Clock())
    private var observations: [LifecycleObservation] = []

    init(observers: Int) { for _ in 0..<observers { observations.append(add()) } }

    private func add() -> LifecycleObservation {
        mediator.addObserver(forName: .flushRequested) { _ in benchmark_call() }
    }

    func post() { mediator.post(.flushRequested) }

    func addAndRemove() { mediator.removeObserver(add()) }
}
