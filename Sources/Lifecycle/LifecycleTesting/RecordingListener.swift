// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

public import Lifecycle

/// A listener that records its notifications, and answers as the test specifies.
public final class RecordingListener: LifecycleListener {
    /// How it answers.
    public enum Behavior {
        /// Immediately.
        case atOnce
        /// By throwing this.
        case throwing(any Error)
        /// Not before `finish()`, or when its task is cancelled.
        case waiting
        /// Not before `finish()`, cancelled or not.
        case stubborn
    }

    /// The name of the listener.
    public let name: String
    /// The notifications that it received, in order.
    public private(set) var received: [LifecycleNotification] = []
    /// Called with «NAME NOTIFICATION» for each notification.
    public var journal: ((String) -> Void)?
    /// How it answers from now on.
    public var behavior: Behavior
    /// Its rank.
    public let rank: Int?
    private let interests: [LifecycleNotification.Name]
    private let deadline: Duration?
    private var waiting: [UnsafeContinuation<Void, Never>] = []

    /// Makes a listener for these names, by default all of the catalogue.
    public init(
        _ name: String, _ interests: [LifecycleNotification.Name] = LifecycleNotification.Name.catalogue,
        deadline: Duration? = nil, rank: Int? = nil, behavior: Behavior = .atOnce
    ) {
        self.rank = rank
        self.name = name
        self.interests = interests
        self.deadline = deadline
        self.behavior = behavior
    }

    /// Records each notification, and answers as `behavior` says.
    public var answers: [LifecycleAnswer] {
        for interest in interests {
            on(interest, deadline: deadline) { [self] notification in try await answer(notification) }
        }
    }

    /// Lets the waiting answers finish.
    public func finish() {
        let waiting = waiting
        self.waiting = []
        for continuation in waiting { continuation.resume() }
    }

    private func answer(_ notification: LifecycleNotification) async throws {
        received.append(notification)
        journal?("\(name) \(notification.name)")
        switch behavior {
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
