// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryListeners
internal import BelfrySystemd
internal import Lifecycle
internal import Varlink

/// Logs what clients do wrong, at a limited rate.
final class ClientLog {
    private let log: ServiceLog
    private let clock: any LifecycleClock
    private var limit = RecordLimit<UInt32>()
    /// Calls that were refused since the start.
    private(set) var refusals = 0

    init(_ log: ServiceLog, clock: any LifecycleClock) {
        self.log = log
        self.clock = clock
    }

    /// Records a call without permission.
    func refused(_ method: String, _ peer: VarlinkPeer) {
        refusals += 1
        write(.notice, "refused \(method) of \(peer): permission denied", peer)
    }

    /// Records a client that broke the protocol or a limit.
    func record(_ problem: VarlinkProblem) { write(.warning, "\(problem)", problem.peer) }

    private func write(_ priority: LogPriority, _ text: RecordText, _ peer: VarlinkPeer?) {
        guard let suppressed = limit.admit(peer?.uid ?? 0, at: clock.monotonic) else { return }
        let origin = peer.map { PeerOrigin(pid: $0.pid, uid: $0.uid, unit: ProcessUnit.of($0.pid)?.name) }
        log.write(priority, text + suppressed, .client, by: origin.map { .peer($0) } ?? .service)
    }
}
