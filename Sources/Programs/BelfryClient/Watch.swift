// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import BelfryEventLoop
internal import BelfryJSON
internal import BelfryLinux
package import Varlink

/// What a watch reports.
package nonisolated enum WatchEvent: Sendable, Equatable {
    /// The state of the service: at the beginning and after each new connection.
    case state(JSONObject)
    /// A notification of the service.
    case notification(JSONObject)
    /// The service no longer has the notifications with these numbers. Comes after the state, and before later ones.
    case missed(ClosedRange<Int64>)
    /// What the user should know about the connection.
    case note(String)
}

/// Follows a service over its restarts: a subscription that is renewed from the last sequence number seen.
package final class Watch {
    private enum Connection {
        /// Not begun, or ended.
        case none
        /// Another attempt follows.
        case waiting
        /// The service has not sent its state yet.
        case subscribing(VarlinkClient)
        case following(VarlinkClient, since: MonotonicInstant)

        var client: VarlinkClient? {
            switch self {
            case .none, .waiting: nil
            case .subscribing(let client), .following(let client, _): client
            }
        }
    }

    private let path: String
    private let names: [String]
    private let waitsForService: Bool
    private let loop: MainEventLoop
    private let onEvent: (WatchEvent) -> Void
    private let onEnd: (ClientFailure) -> Void
    private var connection = Connection.none
    private var lastSequence: Int64?
    /// Nil before the first connection.
    private var lastState: JSONObject?
    /// What the service of this connection does not have. Is reported after its state.
    private var missed: ClosedRange<Int64>?
    private let reconnection: Reconnection

    /// A watch that has not begun.
    ///
    /// - Parameters:
    ///   - path: the socket.
    ///   - names: the names of the notifications; all when empty.
    ///   - after: notifications after this sequence number come first; nil for new ones only.
    ///   - waitsForService: whether to wait for a service that cannot be reached at the start.
    ///   - onEnd: called once when the watch cannot go on.
    package init(
        _ path: String, names: [String], after: Int64? = nil, waitsForService: Bool = false,
        on loop: MainEventLoop, onEvent: @escaping (WatchEvent) -> Void, onEnd: @escaping (ClientFailure) -> Void
    ) {
        self.path = path
        self.names = names
        self.waitsForService = waitsForService
        self.loop = loop
        self.onEvent = onEvent
        self.onEnd = onEnd
        lastSequence = after
        reconnection = Reconnection(path, on: loop)
    }

    /// Whether there is a connection to the service.
    package var isConnected: Bool { connection.client != nil }

    /// Connects to the service, or begins to wait for it.
    package func start() {
        do throws(ClientFailure) {
            let client = try ServiceSocket.connect(path, on: loop)
            reconnection.stop()
            connection = .subscribing(client)
            subscribe(client)
        } catch {
            // A new socket may refuse connections until its creator has set its mode.
            guard lastState != nil || (waitsForService && error.status == .unavailable) else { return end(error) }
            wait("\(error.lines[0]), waiting for it")
        }
    }

    /// Ends the watch. No callback is called after that.
    package func stop() {
        let client = connection.client
        connection = .none
        reconnection.stop()
        client?.close()
    }

    private func end(_ failure: ClientFailure) {
        stop()
        onEnd(failure)
    }

    /// Connects again. To be called when another connection to the service has ended, to learn when it can be replaced.
    package func renew() {
        if connection.client != nil { wait(Reconnection.connectionClosed) }
    }

    // The connection

    private func subscribe(_ client: VarlinkClient) {
        var parameters = JSONObject()
        if !names.isEmpty { parameters["names"] = .array(names.map { .string($0) }) }
        if let lastSequence { parameters["after"] = .int(lastSequence) }
        client.more("\(ServiceClient.interface).Subscribe", parameters) { [weak self, weak client] reply in
            guard let self, let client, client === connection.client else { return }
            switch reply {
            case .success(let reply):
                receive(reply.parameters, from: client)
                guard !reply.continues, client === connection.client else { return }
                let path = SystemError.escape(path)
                end(ClientFailure(.unavailable, "unable to watch '\(path)': the service ended the subscription"))
            case .failure(let error): recover(from: error, on: client)
            }
        }
    }

    private func receive(_ reply: JSONObject, from client: VarlinkClient) {
        if let state = reply["state"]?.objectValue { receive(state: state, on: client) }
        guard client === connection.client, let notification = reply["notification"]?.objectValue else { return }
        lastSequence = notification.number("sequence") ?? lastSequence
        onEvent(.notification(notification))
    }

    private func receive(state: JSONObject, on client: VarlinkClient) {
        let known = lastState
        lastState = state
        if let known, countsAnew(state, after: known), lastSequence != 0 {
            // The service numbers its notifications from the beginning again: all that it has are new.
            missed = nil
            lastSequence = 0
            stop()
            return start()
        }
        connection = .following(client, since: .now)
        let isBack = reconnection.succeeded() && known != nil
        lastSequence = lastSequence ?? state.number("sequence")
        // Each report may stop the watch.
        if isBack { onEvent(.note("reconnected")) }
        guard client === connection.client else { return }
        onEvent(.state(state))
        guard client === connection.client, let missed else { return }
        self.missed = nil
        onEvent(.missed(missed))
    }

    private func countsAnew(_ state: JSONObject, after known: JSONObject) -> Bool {
        for key in ["bootId", "sequenceId"] {
            if let id = known.text(key), let now = state.text(key), !now.hasSameBytes(as: id) { return true }
        }
        guard let lastSequence, let sequence = state.number("sequence") else { return false }
        // The last one seen may be far behind if the watch is for certain names.
        return sequence < max(lastSequence, known.number("sequence") ?? 0)
    }

    private func recover(from error: VarlinkError, on client: VarlinkClient) {
        switch error {
        case .failed(let name, let parameters):
            if isRecovered(name, parameters, on: client) { return }
        // The service may end in the middle of a message.
        case .closed, .system, .protocolViolation(.truncated):
            return wait(Reconnection.connectionClosed)
        case .protocolViolation:
            break
        }
        end(ClientFailure(calling: error, to: "watch", path))
    }

    /// Whether the watch goes on after this error reply of the service.
    private func isRecovered(_ error: String, _ parameters: JSONObject, on client: VarlinkClient) -> Bool {
        switch UTF8Text(error) {
        case "io.belfry.Lifecycle.NotRetained":
            guard let oldest = parameters.number("oldest"), let asked = lastSequence, asked < oldest.subtracting(1)
            else {
                return false
            }
            // More may have become too old since the last attempt.
            missed = (missed?.lowerBound ?? asked + 1)...oldest - 1
            lastSequence = oldest - 1
            subscribe(client)
        case "io.belfry.Lifecycle.Overrun":
            let count = parameters.numberOrDash("dropped")
            onEvent(
                .note("\(count) notifications were held back because the output is too slow, requesting them again"))
            subscribe(client)
        case "io.belfry.Lifecycle.Stopping":
            wait(Reconnection.connectionClosed)
        default:
            return false
        }
        return true
    }

    // The time without a connection

    private func wait(_ note: String) {
        var lasted: Duration?
        if case .following(_, let since) = connection { lasted = .now - since }
        // It was not reported, so it is asked for again.
        if let missed { lastSequence = missed.lowerBound - 1 }
        missed = nil
        connection = .waiting
        do throws(SystemError) {
            try reconnection.wait(note, after: lasted, report: { onEvent(.note($0)) }) { [weak self] in self?.start() }
        } catch {
            end(ClientFailure(error))
        }
    }
}
