// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Belfry
import BelfryLinux
import BelfrySystemd
import Glibc
import Lifecycle

/// Writes a line to standard error at once.
func say(_ text: String) {
    let line = text + "\n"
    write(STDERR_FILENO, line, line.utf8.count)
}

@section("belfry_listeners") @used
let registeredListener: ListenerRegistration.Record = {
    ListenerRegistration.add("registered") { _ in
        ProbeListener("registered") { $0.on(.didBecomeActive) { _ in } }
    }
}

/// A listener whose answers are those that a closure returns.
final class ProbeListener: LifecycleListener {
    let name: String
    private let make: (ProbeListener) -> [LifecycleAnswer]

    init(
        _ name: String, @LifecycleAnswerBuilder _ make: @escaping (ProbeListener) -> [LifecycleAnswer]
    ) {
        (self.name, self.make) = (name, make)
    }

    var answers: [LifecycleAnswer] { make(self) }
}

/// Alternates between unhealthy and healthy at each flush; is lost at a status request.
final class FrailListener: LifecycleListener {
    let name = "probe"
    private(set) var health = ListenerHealth.healthy
    private let mediator: LifecycleMediator

    init(_ mediator: LifecycleMediator) { self.mediator = mediator }

    var answers: [LifecycleAnswer] {
        on(.flushRequested) { [self] _ in health = health == .healthy ? .unhealthy("no disk") : .healthy }
        on(.statusRequested) { [self] _ in
            health = .lost("no disk left")
            mediator.checkHealth()
        }
    }
}

/// Counts the launches of its service, and prints the number.
final class LaunchCounter: RestorableListener {
    nonisolated struct State: Codable, Sendable {
        var launches = 0
    }

    let name = "counter"
    let restorationIdentifier = "probe.counter"
    private var state = State()

    var answers: [LifecycleAnswer] {
        on(.didFinishLaunching) { [self] _ in
            state.launches += 1
            say("launch \(state.launches)")
        }
    }

    func encodeRestorableState() -> State { state }

    func decodeRestorableState(_ state: State) { self.state = state }
}

/// Reports progress for a number of seconds during one notification; then it completes.
final class SlowListener: LifecycleListener {
    let name = "probe"
    private let notification: LifecycleNotification.Name
    private let steps: Int
    private let loop: MainEventLoop
    private var timer: TimerEventSource?

    init(_ notification: LifecycleNotification.Name, seconds: Int, loop: MainEventLoop) {
        self.notification = notification
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
        guard number <= steps else { return done() }
        timer = try? loop.timer(after: .milliseconds(100)) { [self] in
            progress.report(nextWithin: .seconds(2), "step \(number) of \(steps)")
            step(number + 1, progress, done)
        }
    }
}

/// Stores two descriptors at a flush, prints when the manager has them, and removes them at a status request.
final class StoreListener: LifecycleListener {
    let name = "probe"
    private let manager = ServiceManagerSocket()
    private let descriptors: ServiceDescriptors
    private let loop: MainEventLoop

    init(_ service: BelfryService) { (descriptors, loop) = (service.descriptors, service.loop) }

    var answers: [LifecycleAnswer] {
        on(.flushRequested) { [self] _ in
            var ends: [Int32] = [-1, -1]
            pipe(&ends)
            for end in ends.map({ OwnedDescriptor(owning: $0) }) { try descriptors.store(end.number, as: "probe") }
            manager.barrier(on: loop, limit: .seconds(20)) { say("stored \($0)") }
        }
        on(.statusRequested) { [self] _ in
            descriptors.removeStored("probe")
            say("removed")
        }
        on(.didFinishLaunching) { [self] _ in
            let open = descriptors.receive(named: "probe").filter { fcntl($0.number, F_GETFD) == FD_CLOEXEC }
            say("received \(open.count), left \(descriptors.names)")
        }
    }
}
