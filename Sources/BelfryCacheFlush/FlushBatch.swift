// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import Lifecycle
internal import Synchronization

/// Requests that one flush serves together.
final class FlushBatch {
    struct Request {
        let notification: LifecycleNotification
        let completion: (ListenerOutcome) -> Void
    }

    /// Raised when no request is left.
    let flag = CancellationFlag()
    /// The notification of the first request, which the journal record names.
    let first: LifecycleNotification
    /// The number of requests so far.
    private(set) var count = 0
    /// The names of the notifications.
    private(set) var names: Set<LifecycleNotification.Name> = []
    private(set) var requests: [Int: Request] = [:]
    private var unawaited: Int?

    init(_ first: LifecycleNotification) { self.first = first }

    /// Adds a request. Of requests that no client waits for, only the last is kept; the others are completed at once.
    ///
    /// - Returns: the number of the request.
    func add(_ request: Request, isAwaited: Bool) -> Int {
        count += 1
        names.insert(request.notification.name)
        let number = count
        requests[number] = request
        if !isAwaited {
            let before = unawaited.flatMap { requests.removeValue(forKey: $0) }
            unawaited = number
            before?.completion(.completed)
        }
        return number
    }

    func remove(_ number: Int) { requests[number] = nil }

    /// Completes the requests for which `condition` holds.
    func end(where condition: (LifecycleNotification) -> Bool = { _ in true }, _ outcome: (Request) -> ListenerOutcome)
    {
        let ended = requests.filter { condition($0.value.notification) }
        for number in ended.keys { requests[number] = nil }
        for (_, request) in ended.sorted(by: { $0.key < $1.key }) { request.completion(outcome(request)) }
    }
}

/// Cancels work on another thread.
nonisolated final class CancellationFlag: Sendable {
    private let flag = Atomic(false)

    var isRaised: Bool { flag.load(ordering: .relaxed) }

    func raise() { flag.store(true, ordering: .relaxed) }
}
