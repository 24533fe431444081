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
    /// The service no longer has the notifications with these numbers. Comes after the state, and before later ones.
    case missed(ClosedRange<Int64>)
    /// What the user should know about the connection.
    case note(String)
}

/// Follows a service over its restarts: a subscription that is renewed from the last sequence number seen.
package final class Watch {
    private static let maximumDelay = Duration.seconds(2)
    private static let connectionClosed = "the service closed the connection, waiting for it to return"

    private let path: String
    private let names: [String]
    private let waitsForService: Bool
    private let loop: MainEventLoop
    private let onEvent: (WatchEvent) -> Void
    private let onEnd: (ClientFailure) -> Void
    private var client: VarlinkClient?
    private var lastSequence: Int64?
    private var bootID: String?
    private var missed: ClosedRange<Int64>?
    private var wasConnected = false
    private var isDisconnected = false
    private var connected = MonotonicInstant.now
    private var delay = Duration.zero
    private var timer: TimerEventSource?
    private var directory: InotifyEventSource?

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
    }

    /// Whether there is a connection to the service.
    package var isConnected: Bool { client != nil }

    /// Whether reading from the service is suspended.
    package var isPaused = false {
        didSet { client?.isPaused = isPaused }
    }

    /// Connects to the service, or begins to wait for it.
    package func start() {
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

    /// Connects again. To be called when another connection to the service has ended, to learn when it can be replaced.
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
        if let lastSequence { parameters["after"] = .int(lastSequence) }
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
        wasConnected = true
        connected = .now
        bootID = state.text("bootId")
        lastSequence = lastSequence ?? sequence
        onEvent(.state(state))
        guard let missed else { return }
        self.missed = nil
        onEvent(.missed(missed))
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
            missed = asked + 1...oldest - 1
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

    /// A connection that did not last counts as an attempt that failed.
    private func retryLater() {
        if MonotonicInstant.now - connected > Self.maximumDelay * 2 { delay = .zero }
        delay = delay == .zero ? .milliseconds(50) : min(delay * 2, Self.maximumDelay)
        if directory == nil { directory = watchDirectory() }
        do throws(SystemError) {
            timer?.cancel()
            timer = try loop.timer(after: delay, accuracy: delay / 4) { [weak self] in self?.start() }
        } catch {
            stop()
            onEnd(ClientFailure(error))
        }
    }

    /// Watches the directory of the socket, so that a new socket is noticed at once. The directory may not exist.
    private func watchDirectory() -> InotifyEventSource? {
        guard let slash = path.lastIndex(of: "/"), !path.hasPrefix("@") else { return nil }
        let name = path[path.index(after: slash)...]
        let directory = slash == path.startIndex ? "/" : String(path[..<slash])
        return try? loop.source(path: directory, [.created, .movedTo]) { [weak self] change in
            guard let self, client == nil, change.name.map({ $0 == name }) ?? false else { return }
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
