// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import BelfryEventLoop
internal import BelfryListeners
internal import BelfrySystemd
internal import Lifecycle
internal import Varlink

/// Logs what clients do wrong, at a limited rate.
final class ClientLog {
    private let log: ServiceLog
    private var limit = ClientRecordLimit()
    /// Calls that were refused since the start.
    private(set) var refusals = 0

    init(_ log: ServiceLog) { self.log = log }

    /// Records a call without permission.
    func refused(_ method: String, _ peer: VarlinkPeer) {
        refusals += 1
        write(.notice, "refused \(method) of \(peer): permission denied", peer)
    }

    /// Records a client that broke the protocol or a limit.
    func record(_ problem: VarlinkProblem) { write(.warning, "\(problem)", problem.peer) }

    private func write(_ priority: LogPriority, _ text: RecordText, _ peer: VarlinkPeer?) {
        guard let suppressed = limit.admit(peer?.uid ?? 0, at: .now) else { return }
        let suffix: RecordText = suppressed > 0 ? "; \(suppressed) such messages before it were suppressed" : ""
        let origin = peer.map { PeerOrigin(pid: $0.pid, uid: $0.uid, unit: ProcessUnit.of($0.pid)?.name) }
        log.write(priority, text + suffix, .client, by: origin.map { .peer($0) } ?? .service)
    }
}

/// A client, stored with its connection. Its origin was looked up when it first called.
final class SocketClient {
    let origin: LifecycleOrigin

    init(_ origin: LifecycleOrigin) { self.origin = origin }
}

/// Limits the records about each user in an interval, so that no user can fill the journal. A pure value.
package nonisolated struct ClientRecordLimit: Sendable {
    private struct Count: Sendable {
        var since: MonotonicInstant
        var written = 0
        var suppressed = 0
    }

    private static let users = 256
    private let burst: Int
    private let interval: Duration
    private var counts: [UInt32: Count] = [:]

    /// At most `burst` records of a user in each `interval`.
    package init(burst: Int = 20, interval: Duration = .seconds(30)) {
        self.burst = burst
        self.interval = interval
    }

    /// Requests a record about a user.
    ///
    /// - Returns: how many records were suppressed before it, or nil when it is suppressed too.
    package mutating func admit(_ uid: UInt32, at now: MonotonicInstant) -> Int? {
        var count = counts[uid] ?? Count(since: now)
        var suppressed = 0
        if now - count.since >= interval {
            suppressed = count.suppressed
            count = Count(since: now)
        }
        let isWritten = count.written < burst
        if isWritten { count.written += 1 } else { count.suppressed += 1 }
        if counts[uid] == nil, counts.count >= Self.users { forgetOldest() }
        counts[uid] = count
        return isWritten ? suppressed : nil
    }

    private mutating func forgetOldest() {
        if let oldest = counts.min(by: { $0.value.since < $1.value.since }) { counts[oldest.key] = nil }
    }
}
