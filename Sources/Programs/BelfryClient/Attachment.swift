// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import BelfryConfiguration
package import BelfryEventLoop
internal import BelfryJSON
internal import BelfryLinux
package import Lifecycle
internal import Varlink

nonisolated extension ListenerHealth {
    fileprivate var parameters: JSONObject {
        var parameters: JSONObject = ["health": .string(kind)]
        parameters["reason"] = reason.map { .string($0) }
        return parameters
    }
}

/// What an attachment reports.
package nonisolated enum AttachmentEvent: Sendable, Equatable {
    /// The listener is attached to a service whose state is this now.
    case attached(state: JSONObject)
    /// The service has come to this state.
    case state(String)
    /// The service waits for the answer to a notification, at which the program of an application runs the command of
    /// this key.
    case notification(JSONObject, token: String, key: String?)
    /// The listener is no longer attached; the service waits for no answer.
    case detached
    /// What the user should know about the connection.
    case note(String)
}

/// A listener in another process than its service, over restarts of the service.
///
/// `Attach` occupies its connection, so answers go over a second one.
package final class Attachment {
    /// The longest notification, in bytes.
    private static let longestReply = 16 << 20
    /// Errors after which it attaches again.
    private static let temporary: Set<UTF8Text> = [
        UTF8Text("\(ServiceClient.interface).Detached"), UTF8Text("\(ServiceClient.interface).Stopping"),
    ]

    private let settings: ListenerSettings
    /// Whether what the listener is for works.
    private var health: ListenerHealth
    private let loop: MainEventLoop
    private let onEvent: (AttachmentEvent) -> Void
    private let onEnd: (ClientFailure) -> Void
    private let reconnection: Reconnection
    private var notifications: VarlinkClient?
    private var answers: VarlinkClient?
    private var phase = Phase.first
    /// What the last `Attach` told.
    private var told = ListenerHealth.healthy

    private enum Phase {
        /// A socket that cannot be used is an error, unless there is none yet.
        case first
        case attached(since: MonotonicInstant)
        /// It waits for the service to return.
        case lost
        case stopped
    }

    /// An attachment that has not begun.
    ///
    /// - Parameters:
    ///   - settings: the socket, and what the listener tells the service.
    ///   - health: whether what the listener is for works.
    ///   - onEnd: called once when the service refuses the listener.
    package init(
        _ settings: ListenerSettings, health: ListenerHealth = .healthy, on loop: MainEventLoop,
        onEvent: @escaping (AttachmentEvent) -> Void, onEnd: @escaping (ClientFailure) -> Void
    ) {
        self.settings = settings
        self.health = health
        self.loop = loop
        self.onEvent = onEvent
        self.onEnd = onEnd
        reconnection = Reconnection(settings.socket, on: loop)
    }

    /// Attaches, or begins to wait for the service.
    package func start() {
        do throws(ClientFailure) {
            let answers = try ServiceSocket.connect(settings.socket, on: loop, longestReply: Self.longestReply)
            self.answers = answers
            answers.onClose = { [weak self, weak answers] _ in
                if let self, let answers, answers === self.answers { lost(Reconnection.connectionClosed) }
            }
            let client = try ServiceSocket.connect(settings.socket, on: loop, longestReply: Self.longestReply)
            notifications = client
            reconnection.stop()
            told = health
            client.more("\(ServiceClient.interface).Attach", parameters) { [weak self, weak client] reply in
                guard let self, let client, client === notifications else { return }
                receive(reply)
            }
        } catch {
            // A new socket may refuse connections until its creator has set its mode.
            if case .first = phase, error.status != .unavailable { return end(error) }
            lost("\(error.lines[0]), waiting for it")
        }
    }

    private var parameters: JSONObject {
        var parameters: JSONObject = [
            "listener": .string(settings.name), "names": .array(settings.on.map { .string($0) }),
            "deadlineUsec": .int(Int64(clamping: settings.timeout.microseconds)), "state": true,
        ]
        if !settings.follows.isEmpty { parameters["follows"] = .array(settings.follows.map { .string($0) }) }
        if health != .healthy { parameters.merge(health.parameters) { $1 } }
        return parameters
    }

    /// Detaches. No callback is called after that.
    package func stop() {
        phase = .stopped
        reconnection.stop()
        // The service must get the last answer before it notices that the listener is gone.
        answers?.flush()
        close()
    }

    /// Answers a notification. The service ignores the answer if its deadline has passed.
    ///
    /// - Parameter work: what the listener did; nil for nothing to say.
    package func answer(_ token: String, _ outcome: String, reason: String? = nil, work: String? = nil) {
        var parameters: JSONObject = ["token": .string(token), "outcome": .string(outcome)]
        parameters["reason"] = reason.map { .string($0) }
        parameters["work"] = work.map { .string($0) }
        answers?.call("\(ServiceClient.interface).Answer", parameters) { _ in }
    }

    /// Reports whether what the listener is for works. The next attachment says it.
    package func report(_ health: ListenerHealth) {
        self.health = health
        var parameters = health.parameters
        parameters["listener"] = .string(settings.name)
        answers?.call("\(ServiceClient.interface).ReportHealth", parameters) { _ in }
    }

    private func receive(_ reply: Result<VarlinkReply, VarlinkError>) {
        switch reply {
        case .success(let reply) where !reply.continues: lost(Reconnection.connectionClosed)
        case .success(let reply): receive(reply.parameters)
        case .failure(.closed), .failure(.system), .failure(.protocolViolation(.truncated)):
            lost(Reconnection.connectionClosed)
        case .failure(.failed(let name, _)) where Self.temporary.contains(UTF8Text(name)):
            lost(Reconnection.connectionClosed)
        case .failure(let error): end(ClientFailure(calling: error, to: "attach to", settings.socket))
        }
    }

    private func receive(_ reply: JSONObject) {
        if let state = reply["state"]?.objectValue {
            if case .attached = phase { return onEvent(.state(state["state"]?.stringValue ?? "")) }
            phase = .attached(since: .now)
            reconnection.succeeded()
            // The service may have read a report before the call.
            if health != told { report(health) }
            onEvent(.attached(state: state))
        } else if let token = reply["token"]?.stringValue, let notification = reply["notification"]?.objectValue {
            onEvent(.notification(notification, token: token, key: reply["key"]?.stringValue))
        }
    }

    /// There is no service, or it ended, or it has detached the listener.
    private func lost(_ note: String) {
        // A stop may find out that the service is gone.
        if case .stopped = phase { return }
        close()
        var lasted: Duration?
        if case .attached(let since) = phase {
            lasted = .now - since
            phase = .lost
            onEvent(.detached)
            if case .stopped = phase { return }
        }
        do throws(SystemError) {
            try reconnection.wait(note, after: lasted, report: { onEvent(.note($0)) }) { [weak self] in self?.start() }
        } catch {
            end(ClientFailure(error))
        }
    }

    private func end(_ failure: ClientFailure) {
        stop()
        onEnd(failure)
    }

    private func close() {
        let clients = [notifications, answers]
        (notifications, answers) = (nil, nil)
        for client in clients { client?.close() }
    }
}
