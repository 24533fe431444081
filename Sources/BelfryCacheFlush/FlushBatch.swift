// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import Lifecycle
internal import Synchronization

/// Requests for a flush that are done together.
final class FlushBatch {
    /// Somebody who wants to know what comes of it.
    struct Request {
        let notification: LifecycleNotification
        let completion: (ListenerOutcome) -> Void
    }

    /// Raised when nobody wants it any more.
    let flag = CancellationFlag()
    /// The first request, under which the journal tells of it.
    let first: LifecycleNotification
    /// How many requests it stands for.
    private(set) var count = 0
    /// What was asked for.
    private(set) var names: Set<LifecycleNotification.Name> = []
    private(set) var requests: [Int: Request] = [:]
    private var unawaited: Int?

    init(_ first: LifecycleNotification) { self.first = first }

    /// Adds a request. Those that nobody waits for are kept as one, the last: it stands for the others, which are done.
    ///
    /// - Returns: its number.
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

    /// Nobody waits for this request any more.
    func remove(_ number: Int) { requests[number] = nil }

    /// Ends those requests that `isMeant` picks.
    func end(where isMeant: (LifecycleNotification) -> Bool = { _ in true }, _ outcome: (Request) -> ListenerOutcome) {
        let ended = requests.filter { isMeant($0.value.notification) }
        for number in ended.keys { requests[number] = nil }
        for (_, request) in ended.sorted(by: { $0.key < $1.key }) { request.completion(outcome(request)) }
    }
}

/// Says across threads that work is to be given up.
nonisolated final class CancellationFlag: Sendable {
    private let flag = Atomic(false)

    /// Whether it is to be given up.
    var isRaised: Bool { flag.load(ordering: .relaxed) }

    func raise() { flag.store(true, ordering: .relaxed) }
}
