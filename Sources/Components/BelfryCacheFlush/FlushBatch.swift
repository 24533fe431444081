// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import Lifecycle

/// Requests that one flush serves together.
final class FlushBatch {
    struct Request {
        let notification: LifecycleNotification
        let progress: ListenerProgress
        let completion: (AnswerEnd) -> Void
    }

    /// Cancelled when no request is left.
    let monitor = FlushMonitor()
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
    func add(_ request: Request) -> Int {
        count += 1
        names.insert(request.notification.name)
        let number = count
        requests[number] = request
        if !request.progress.isOutcomeWanted {
            let before = unawaited.flatMap { requests.removeValue(forKey: $0) }
            unawaited = number
            before?.completion(.completed)
        }
        return number
    }

    func remove(_ number: Int) { requests[number] = nil }

    /// Reports progress to those who wait for a request.
    func reportProgress() {
        let text =
            monitor.filesSelected > 0
            ? "flushed \(monitor.filesRemoved) of \(monitor.filesSelected) files"
            : "examined \(monitor.filesSeen) files"
        for (_, request) in requests { request.progress.report(text, details: details) }
    }

    /// The progress for programs.
    private var details: UserInfo {
        [
            "filesSeen": .int(Int64(monitor.filesSeen)), "filesSelected": .int(Int64(monitor.filesSelected)),
            "filesRemoved": .int(Int64(monitor.filesRemoved)),
            "bytesFreed": .int(Int64(clamping: monitor.bytesFreed)),
        ]
    }

    /// Completes the requests for which `condition` holds.
    func end(where condition: (LifecycleNotification) -> Bool = { _ in true }, _ end: (Request) -> AnswerEnd) {
        let ended = requests.filter { condition($0.value.notification) }
        for number in ended.keys { requests[number] = nil }
        for (_, request) in ended.sorted(by: { $0.key < $1.key }) { request.completion(end(request)) }
    }
}
