// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryEventLoop
internal import Lifecycle
internal import BelfryListeners
internal import BelfrySystemd
internal import Varlink

/// Tells the journal what clients do wrong, and no more often than anybody can read.
final class ClientLog {
    private let log: ServiceLog
    private var limit = ClientRecordLimit()
    /// Calls that were refused since the start.
    private(set) var refusals = 0

    init(_ log: ServiceLog) { self.log = log }

    /// A client called what it may not call.
    func refused(_ method: String, _ peer: VarlinkPeer) {
        refusals += 1
        write(.notice, "refused \(method) of \(peer): permission denied", peer)
    }

    /// A client broke the protocol or a limit.
    func note(_ problem: VarlinkProblem) { write(.warning, "\(problem)", problem.peer) }

    private func write(_ priority: JournalRecord.Priority, _ text: RecordText, _ peer: VarlinkPeer?) {
        guard let suppressed = limit.admit(peer?.uid ?? 0, at: .now) else { return }
        let note: RecordText = suppressed > 0 ? ", and \(suppressed) such messages before were left out" : ""
        let origin = peer.map { PeerOrigin(pid: $0.pid, uid: $0.uid, unit: ProcessUnit.of($0.pid)) }
        log.write(priority, text + note, .client, fields: origin.map { LifecycleRecords.fields(of: .peer($0)) } ?? [])
    }
}
