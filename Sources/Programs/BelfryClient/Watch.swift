// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import BelfryEventLoop
internal import BelfryJSON
internal import BelfryLinux
internal import Glibc
package import Varlink

/// What a watch reports.
package nonisolated enum WatchEvent: Sendable, Equatable {
    /// The state of the service: at the beginning and after each new connection.
    case state(JSONObject)
    /// A notification of the service.
    case notification(JSONObject)
    /// What the user should know about the connection.
    case note(String)
}

/// Follows a service over its restarts: a subscription that is renewed from the last sequence number seen.
package final class Watch {
    private static let maximumDelay = Duration.seconds(2)
    /// How long a service that still runs may take to end after it has closed the connection.
    private static let stopTimeout = Duration.seconds(10)
    private static let connectionClosed = "the service closed the connection, waiting for it to return"

    private let path: String
    private let names: [String]
    private let waitsForService: Bool
    private let isCompanion: Bool
    private let loop: MainEventLoop
    private let onEvent: (WatchEvent) -> Void
    private let onEnd: (ClientFailure) -> Void
    private var client: VarlinkClient?
    private var lastSequence: Int64?
    private var bootID: String?
    private var process: ServiceProcess?
    private var wasConnected = false
    private var isDisconnected = false
    private var isSocketNew = false
    private var delay = Duration.zero
    private var waited = Duration.zero
    private var timer: TimerEventSource?
    private var directory: InotifyEventSource?

    /// A watch that has not begun.
    ///
    /// - Parameters:
    ///   - path: the socket.
    ///   - names: the names of the notifications; all when empty.
    ///   - after: notifications after this sequence number come first; nil for new ones only.
    ///   - waitsForService: whether to wait for a service that cannot be reached at the start.
    ///   - isCompanion: whether it only reports when the service is there, for the sake of another connection: it asks for no
    ///     past notifications, and does not start a service that systemd listens for.
    ///   - onEnd: called once when the watch cannot go on.
    package init(
        _ path: String, names: [String], after: Int64? = nil, waitsForService: Bool = false, isCompanion: Bool = false,
        on loop: MainEventLoop, onEvent: @escaping (WatchEvent) -> Void, onEnd: @escaping (ClientFailure) -> Void
    ) {
        self.path = path
        self.names = names
        self.waitsForService = waitsForService
        self.isCompanion = isCompanion
        self.loop = loop
        self.onEvent = onEvent
        self.onEnd = onEnd
        lastSequence = after
    }

    /// Whether there is a connection to the service.
    package var isConnected: Bool { client != nil }

    /// Whether reading from the service is suspended.
    package var isPaused = false {
        didSet { client?.isPaused = isPaused }
    }

    /// Connects to the service, or begins to wait for it.
    package func start() {
        guard !isCompanion || ServiceUnit(socket: path)?.mayRun ?? true else {
            disconnected("the service is stopped, waiting for it")
            return retryLater()
        }
        do throws(ClientFailure) {
            let client = try ServiceSocket.connect(path, on: loop)
            self.client = client
            client.isPaused = isPaused
            stopWaiting()
            subscribe(client)
        } catch {
            let failure = error
            // A new socket may refuse connections until its creator has set its mode.
            guard wasConnected || (waitsForService && failure.status == .unavailable) else {
                return onEnd(failure)
            }
            disconnected("\(failure.lines[0]), waiting for it")
            retryLater()
        }
    }

    /// Ends the watch. No callback is called after that.
    package func stop() {
        stopWaiting()
        let client = client
        self.client = nil
        client?.close()
    }

    /// Connects again. To be called when another connection has shown that the service ended: the connection of this watch
    /// may have been kept open for the next process.
    package func renew() {
        guard let client else { return }
        disconnected(Self.connectionClosed)
        client.close()
        retryLater()
    }

    // The connection

    private func subscribe(_ client: VarlinkClient) {
        var parameters = JSONObject()
        if !names.isEmpty { parameters["names"] = .array(names.map { .string($0) }) }
        if let lastSequence, !isCompanion { parameters["after"] = .int(lastSequence) }
        client.more("\(ServiceClient.interface).Subscribe", parameters) { [weak self, weak client] reply in
            guard let self, let client, client === self.client else { return }
            switch reply {
            case .success(let reply):
                receive(reply.parameters, from: client)
                if !reply.continues, client === self.client { subscriptionEnded() }
            case .failure(let error): recover(from: error, on: client)
            }
        }
    }

    private func subscriptionEnded() {
        stop()
        let path = SystemError.escape(path)
        onEnd(ClientFailure(.unavailable, "unable to watch '\(path)': the service ended the subscription"))
    }

    private func receive(_ reply: JSONObject, from client: VarlinkClient) {
        if let state = reply["state"]?.objectValue { receive(state: state, on: client) }
        guard client === self.client, let notification = reply["notification"]?.objectValue else { return }
        lastSequence = notification.number("sequence") ?? lastSequence
        onEvent(.notification(notification))
    }

    private func receive(state: JSONObject, on client: VarlinkClient) {
        let sequence = state.number("sequence")
        if wasConnected, countsAnew(state), lastSequence != 0 {
            // The service numbers its notifications from the beginning again: all that it has are new.
            lastSequence = 0
            bootID = state.text("bootId")
            self.client = nil
            client.close()
            return start()
        }
        if isDisconnected, wasConnected { onEvent(.note("reconnected")) }
        isDisconnected = false
        isSocketNew = false
        wasConnected = true
        delay = .zero
        waited = .zero
        bootID = state.text("bootId")
        lastSequence = lastSequence ?? sequence
        let pid = state.number("pid").flatMap { Int32(exactly: $0) }
        process = pid.flatMap { ServiceProcess(pid: $0, after: process) }
        onEvent(.state(state))
    }

    private func countsAnew(_ state: JSONObject) -> Bool {
        if let bootID, let now = state.text("bootId"), !now.hasSameBytes(as: bootID) { return true }
        guard let lastSequence, let sequence = state.number("sequence") else { return false }
        return sequence < lastSequence
    }

    private func recover(from error: VarlinkError, on client: VarlinkClient) {
        switch error {
        case .failed(let name, let parameters):
            if isRecovered(name, parameters, on: client) { return }
        // The service may end in the middle of a message.
        case .closed, .system, .protocolViolation(.truncated):
            disconnected(Self.connectionClosed)
            return retryLater()
        case .protocolViolation:
            break
        }
        stop()
        onEnd(ClientFailure(calling: error, to: "watch", path))
    }

    /// Whether the watch goes on after this error reply of the service.
    private func isRecovered(_ error: String, _ parameters: JSONObject, on client: VarlinkClient) -> Bool {
        switch UTF8Text(error) {
        case "io.belfry.Lifecycle.NotRetained":
            guard let oldest = parameters.number("oldest"), let asked = lastSequence, asked < oldest.subtracting(1)
            else {
                return false
            }
            lastSequence = oldest.subtracting(1)
            if asked > 0 { onEvent(.note("notifications \(asked + 1) to \(oldest - 1) are no longer available")) }
            subscribe(client)
        case "io.belfry.Lifecycle.Overrun":
            let count = parameters.numberOrDash("dropped")
            onEvent(
                .note("\(count) notifications were held back because the output is too slow, requesting them again"))
            subscribe(client)
        case "io.belfry.Lifecycle.Stopping":
            disconnected(Self.connectionClosed)
            retryLater()
        default:
            return false
        }
        return true
    }

    // The time without a connection

    /// Reports only the first of the attempts that fail.
    private func disconnected(_ note: String) {
        client = nil
        guard !isDisconnected else { return }
        isDisconnected = true
        onEvent(.note(note))
    }

    private func retryLater() {
        delay = delay == .zero ? .milliseconds(50) : min(delay * 2, Self.maximumDelay)
        waited += delay
        if directory == nil { directory = watchDirectory() }
        do throws(SystemError) {
            timer?.cancel()
            timer = try loop.timer(after: delay, accuracy: delay / 4) { [weak self] in self?.retry() }
        } catch {
            stop()
            onEnd(ClientFailure(error))
        }
    }

    private func retry() {
        switch isSocketNew ? nil : process?.status {
        case nil, .replaced: start()
        // Connecting would make systemd start a service that was stopped.
        case .stopped: retryLater()
        // The service is about to end, or has closed only this connection.
        case .running: waited < Self.stopTimeout ? retryLater() : start()
        }
    }

    /// Watches the directory of the socket, so that a new socket is noticed at once. The directory may not exist.
    private func watchDirectory() -> InotifyEventSource? {
        guard let slash = path.lastIndex(of: "/"), !path.hasPrefix("@") else { return nil }
        let name = path[path.index(after: slash)...]
        let directory = slash == path.startIndex ? "/" : String(path[..<slash])
        return try? loop.source(path: directory, [.created, .movedTo]) { [weak self] change in
            guard let self, client == nil, change.name.map({ $0 == name }) ?? false else { return }
            isSocketNew = true
            start()
        }
    }

    private func stopWaiting() {
        timer?.cancel()
        timer = nil
        directory?.cancel()
        directory = nil
    }
}
