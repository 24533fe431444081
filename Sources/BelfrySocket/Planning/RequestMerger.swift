// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import Varlink

/// Has costly work done once at a time. What asks for the same while something is being done waits, and is answered
/// together by work that begins afterwards.
final class RequestMerger {
    /// Does the work for requests that ask for the same, and calls `done` when they are answered.
    typealias Work = (_ key: Int32, _ requests: [VarlinkRequest], _ done: @escaping () -> Void) -> Void

    private let work: Work
    private var waiting: [Int32: [VarlinkRequest]] = [:]
    /// What is asked for, in the order in which it was asked for first.
    private var keys: [Int32] = []
    private var isWorking = false

    init(_ work: @escaping Work) { self.work = work }

    /// Adds a request; those with one key ask for the same. There should be few different keys.
    func add(_ request: VarlinkRequest, for key: Int32) {
        if waiting[key] == nil { keys.append(key) }
        waiting[key, default: []].append(request)
        if !isWorking { workOnNext() }
    }

    private func workOnNext() {
        guard let key = keys.first, let requests = waiting.removeValue(forKey: key) else { return }
        keys.removeFirst()
        isWorking = true
        work(key, requests) { [weak self] in
            self?.isWorking = false
            self?.workOnNext()
        }
    }
}
