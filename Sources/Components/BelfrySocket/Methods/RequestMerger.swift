// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import Varlink

/// Runs costly work one at a time. Requests that arrive meanwhile wait, and are answered together by work that begins
/// afterwards.
final class RequestMerger {
    /// Does the work, and calls `done` when the requests are answered.
    typealias Work = (_ requests: [VarlinkRequest], _ done: @escaping () -> Void) -> Void

    private let work: Work
    private var waiting: [VarlinkRequest] = []
    private var isWorking = false

    init(_ work: @escaping Work) { self.work = work }

    /// Adds a request.
    func add(_ request: VarlinkRequest) {
        waiting.append(request)
        if !isWorking { workOnNext() }
    }

    private func workOnNext() {
        guard !waiting.isEmpty else { return }
        let requests = waiting
        waiting = []
        isWorking = true
        work(requests) { [weak self] in
            self?.isWorking = false
            self?.workOnNext()
        }
    }
}
