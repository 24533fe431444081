// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryEventLoop

/// Takes and gives back leases of a FleetLock server, so that only so many hosts of a group are away at a time.
///
/// Both requests may be repeated: a host that has the lease gets it again. A lease does not expire, so give it back at each start
/// and after each drain. Requests are sent one after the other, each on a thread of its own; the loop never waits for them.
///
/// Source: coreos/zincati, docs/development/fleetlock/protocol.md.
package final class LeaseClient {
    /// Called on the main actor.
    package typealias Handler = (Result<Void, LeaseError>) -> Void

    /// The most requests that wait for the one that is under way.
    private static let waitingLimit = 8

    private let url: String
    private let group: String
    private let id: String
    private let caFile: String?
    private let limit: Duration
    private var isBusy = false
    private var waiting: [(step: LeaseRequest.Step, then: Handler)] = []

    /// A client of the server at `url`; it makes no request yet.
    ///
    /// - Parameters:
    ///   - url: the base of the protocol's addresses, `http` or `https`. With `https` the certificate of the server is verified.
    ///   - group: the group of hosts that shares leases: letters, digits, `.` and `-`.
    ///   - id: the name of this host in the group.
    ///   - caFile: the certificates of the authorities that are trusted (PEM); nil for those of the system.
    ///   - limit: the most time that a request may take, in whole seconds.
    package init(
        url: String, group: String, id: String, caFile: String? = nil, limit: Duration = .seconds(30)
    ) {
        self.url = url
        self.group = group
        self.id = id
        self.caFile = caFile
        self.limit = limit
    }

    /// Takes a lease, or asks for one that we have.
    package func lock(then: @escaping Handler) { send(.lock, then) }

    /// Gives the lease back. Also succeeds without one.
    package func unlock(then: @escaping Handler) { send(.unlock, then) }

    private func send(_ step: LeaseRequest.Step, _ then: @escaping Handler) {
        guard waiting.count < Self.waitingLimit else {
            return then(
                .failure(LeaseError(mayTryAgain: true, reason: "unable to \(step.verb): too many requests wait")))
        }
        waiting.append((step, then))
        sendNext()
    }

    private func sendNext() {
        guard !isBusy, !waiting.isEmpty else { return }
        let (step, then) = waiting.removeFirst()
        let request = LeaseRequest(step: step, url: url, group: group, id: id, caFile: caFile, limit: limit)
        isBusy = true
        WorkerThread.run {
            request.send()
        } then: { [weak self] result in
            self?.isBusy = false
            then(result)
            self?.sendNext()
        }
    }
}
