// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

public import Lifecycle

/// A listener that writes down what it is told, and answers as the test wants it to.
public final class RecordingListener: LifecycleListener {
    /// How it answers.
    public enum Manner {
        /// At once.
        case atOnce
        /// By throwing this.
        case throwing(any Error)
        /// Not before `finish()`, or when its task is cancelled.
        case waiting
        /// Not before `finish()`, cancelled or not.
        case stubborn
    }

    /// What the listener is called.
    public let name: String
    /// The notifications it was told of, in order.
    public private(set) var received: [LifecycleNotification] = []
    /// What it also writes its name and the notification's into, as «NAME NOTIFICATION».
    public var journal: ((String) -> Void)?
    /// How it answers from now on.
    public var manner: Manner
    /// Its rank.
    public let rank: Int?
    private let interests: [LifecycleNotification.Name]
    private let deadline: Duration?
    private var waiting: [UnsafeContinuation<Void, Never>] = []

    /// Makes a listener for `interests`, by default all that Belfry itself posts.
    public init(
        _ name: String, _ interests: [LifecycleNotification.Name] = LifecycleNotification.Name.catalogue,
        deadline: Duration? = nil, rank: Int? = nil, manner: Manner = .atOnce
    ) {
        self.rank = rank
        self.name = name
        self.interests = interests
        self.deadline = deadline
        self.manner = manner
    }

    /// Writes each of its interests down and answers in its manner.
    public var answers: [LifecycleAnswer] {
        for interest in interests {
            on(interest, deadline: deadline) { [self] notification in try await answer(notification) }
        }
    }

    /// Lets the answers that wait finish.
    public func finish() {
        let waiting = waiting
        self.waiting = []
        for continuation in waiting { continuation.resume() }
    }

    private func answer(_ notification: LifecycleNotification) async throws {
        received.append(notification)
        journal?("\(name) \(notification.name)")
        switch manner {
        case .atOnce: break
        case .throwing(let error): throw error
        case .stubborn: await wait()
        case .waiting:
            await withTaskCancellationHandler {
                await wait()
            } onCancel: {
                Task { @MainActor in self.finish() }
            }
        }
    }

    private func wait() async {
        await withUnsafeContinuation { waiting.append($0) }
    }
}

/// A listener that refuses a new configuration when it is told to, before or after the others have taken it.
final class RefusingListener: LifecycleListener {
    let name = "io.belfry.conformance.refuser"
    var refused: LifecycleNotification.Name?

    var answers: [LifecycleAnswer] {
        for name in [LifecycleNotification.Name.willReload, .didReload] {
            on(name) { [self] _ in if refused == name { throw LifecycleRefusal("not this one") } }
        }
    }
}
