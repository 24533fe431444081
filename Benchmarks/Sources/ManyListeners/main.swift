// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import Belfry

// Usage: ManyListeners COUNT
// Adds COUNT listeners to a mediator, each following the one before, posts once, and removes them.
final class Listener: LifecycleListener {
    let name: String
    let follows: [String]
    private(set) var calls = 0

    init(_ number: Int) {
        name = "listener\(number)"
        follows = number == 0 ? [] : ["listener\(number - 1)"]
    }

    var answers: [LifecycleAnswer] { on(.flushRequested) { [self] _ in calls += 1 } }
}

let count = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 0
let mediator = LifecycleMediator(clock: EventLoopClock(try MainEventLoop()))
let listeners = (0..<count).map(Listener.init)
for listener in listeners { try mediator.addListener(listener) }
mediator.post(.flushRequested)
for listener in listeners { mediator.removeListener(listener) }
precondition(listeners.allSatisfy { $0.calls == 1 }, "a listener was not called")
