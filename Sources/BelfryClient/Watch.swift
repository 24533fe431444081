// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import BelfryEventLoop
internal import BelfryJSON
internal import BelfryLinux
internal import Glibc
package import Varlink

/// Follows a service over its restarts: a subscription that is renewed from the last number seen.
package final class Watch {
    /// What is followed.
    package struct Subject: Sendable {
        /// The socket.
        package let path: String
        /// The notifications; all when empty.
        package let names: [String]
        /// What came after this number first; nil for what comes from now on.
        package let after: Int64?
        /// Whether a service that cannot be reached at the start is waited for.
        package let isAwaited: Bool

        /// A subject with these parts.
        package init(path: String, names: [String], after: Int64?, isAwaited: Bool) {
            self.path = path
            self.names = names
            self.after = after
            self.isAwaited = isAwaited
        }
    }

    private static let longestDelay = Duration.seconds(2)
    private static let patience = Duration.seconds(10)
    private static let closed = "the service has closed the connection, waiting for it"

    private let subject: Subject
    private let loop: MainEventLoop
    private let onEvent: (WatchEvent) -> Void
    private let onEnd: (ControlFailure) -> Void
    private var client: VarlinkClient?
    private var last: Int64?
    private var bootID: String?
    private var process: ServiceProcess?
    private var wasReached = false
    private var isAway = false
    private var isSocketNew = false
    private var delay = Duration.zero
    private var waited = Duration.zero
    private var timer: TimerEventSource?
    private var folder: InotifyEventSource?

    /// A watch that has not begun. `onEnd` is called once when it cannot go on.
    package init(
        _ subject: Subject, on loop: MainEventLoop, onEvent: @escaping (WatchEvent) -> Void,
        onEnd: @escaping (ControlFailure) -> Void
    ) {
        self.subject = subject
        self.loop = loop
        self.onEvent = onEvent
        self.onEnd = onEnd
        last = subject.after
    }

    /// Leaves what arrives with the service for a while.
    package var isPaused = false {
        didSet { client?.isPaused = isPaused }
    }

    /// Connects to the service, or begins to wait for it.
    package func start() {
        do throws(ControlFailure) {
            let client = try ServiceSocket.connect(subject.path, on: loop)
            self.client = client
            client.isPaused = isPaused
            stopWaiting()
            subscribe(client)
        } catch {
            let failure = error
            // A new socket may be out of bounds until its maker has set its mode.
            guard wasReached || (subject.isAwaited && failure.status == .unavailable) else { return onEnd(failure) }
            if !isAway { leave("\(failure.lines[0]), waiting for it") }
            wait()
        }
    }

    /// Ends the watch. Nothing is called after that.
    package func stop() {
        stopWaiting()
        let client = client
        self.client = nil
        client?.close()
    }

    /// Another connection has shown that the service went away: this one, which may have been kept for the next process,
    /// is given up for a new one.
    package func renew() {
        guard let client else { return }
        leave(Self.closed)
        client.close()
        wait()
    }

    // The connection

    private func subscribe(_ client: VarlinkClient) {
        var parameters = JSONObject()
        if !subject.names.isEmpty { parameters["names"] = .array(subject.names.map { .string($0) }) }
        if let last { parameters["after"] = .int(last) }
        client.more("\(ServiceClient.interface).Subscribe", parameters) { [weak self, weak client] reply in
            guard let self, let client, client === self.client else { return }
            switch reply {
            case .success(let reply):
                take(reply.parameters, from: client)
                if !reply.continues, client === self.client { giveUp("the service tells nothing more") }
            case .failure(let error): recover(from: error, on: client)
            }
        }
    }

    private func giveUp(_ reason: String) {
        stop()
        onEnd(ControlFailure(.unavailable, "unable to watch '\(SystemError.escape(subject.path))': \(reason)"))
    }

    private func take(_ reply: JSONObject, from client: VarlinkClient) {
        if let state = reply["state"]?.objectValue { arrive(state, on: client) }
        guard client === self.client, let notification = reply["notification"]?.objectValue else { return }
        last = notification.number("sequence") ?? last
        onEvent(.notification(notification))
    }

    private func arrive(_ state: JSONObject, on client: VarlinkClient) {
        let sequence = state.number("sequence")
        if wasReached, isRestarted(state), last != 0 {
            // The service counts from the beginning again: all that it has is new.
            last = 0
            bootID = state.text("bootId")
            self.client = nil
            client.close()
            return start()
        }
        if isAway, wasReached { onEvent(.note("reconnected")) }
        isAway = false
        isSocketNew = false
        wasReached = true
        delay = .zero
        waited = .zero
        bootID = state.text("bootId")
        last = last ?? sequence
        let pid = state.number("pid").flatMap { Int32(exactly: $0) }
        process = pid.flatMap { ServiceProcess(pid: $0, after: process) }
        onEvent(.state(state))
    }

    private func isRestarted(_ state: JSONObject) -> Bool {
        if let bootID, let now = state.text("bootId"), !now.hasSameBytes(as: bootID) { return true }
        guard let last, let sequence = state.number("sequence") else { return false }
        return sequence < last
    }

    private func recover(from error: VarlinkError, on client: VarlinkClient) {
        switch error {
        case .failed(let name, let parameters):
            if isRecovered(name, parameters, on: client) { return }
        // Who ends in the middle of a message has ended like any other.
        case .closed, .system, .protocolViolation(.truncated):
            leave(Self.closed)
            return wait()
        case .protocolViolation, .cancelled:
            break
        }
        stop()
        onEnd(ControlFailure(calling: error, to: "watch", subject.path))
    }

    /// Whether the watch goes on after this answer of the service.
    private func isRecovered(_ error: String, _ parameters: JSONObject, on client: VarlinkClient) -> Bool {
        switch UTF8Text(error) {
        case "io.belfry.Lifecycle.NotRetained":
            guard let oldest = parameters.number("oldest"), let asked = last, asked < oldest.subtracting(1) else {
                return false
            }
            last = oldest.subtracting(1)
            if asked > 0 { onEvent(.note("notifications from \(asked + 1) to \(oldest - 1) are not kept any more")) }
            subscribe(client)
        case "io.belfry.Lifecycle.Overrun":
            let count = parameters.numberOrDash("dropped")
            onEvent(.note("\(count) notifications were held back because the output is too slow, asking again"))
            subscribe(client)
        case "io.belfry.Lifecycle.Stopping":
            leave(Self.closed)
            wait()
        default:
            return false
        }
        return true
    }

    // The time without a connection

    private func leave(_ note: String) {
        client = nil
        isAway = true
        onEvent(.note(note))
    }

    private func wait() {
        delay = delay == .zero ? .milliseconds(50) : min(delay * 2, Self.longestDelay)
        waited += delay
        if folder == nil { folder = watchFolder() }
        do throws(SystemError) {
            timer?.cancel()
            timer = try loop.timer(after: delay, accuracy: delay / 4) { [weak self] in self?.look() }
        } catch {
            stop()
            onEnd(ControlFailure(error))
        }
    }

    private func look() {
        switch isSocketNew ? nil : process?.fate {
        case nil, .replaced: start()
        // Asking the service itself would make systemd start one that was stopped.
        case .gone: wait()
        // It is about to end, or, after a while, it has closed only this connection.
        case .running: waited < Self.patience ? wait() : start()
        }
    }

    /// The folder of the socket, so that a new one is noticed at once. There may be none.
    private func watchFolder() -> InotifyEventSource? {
        guard let slash = subject.path.lastIndex(of: "/"), !subject.path.hasPrefix("@") else { return nil }
        let name = subject.path[subject.path.index(after: slash)...]
        let folder = slash == subject.path.startIndex ? "/" : String(subject.path[..<slash])
        return try? loop.source(path: folder, [.created, .movedTo]) { [weak self] change in
            guard let self, client == nil, change.name.map({ $0 == name }) ?? false else { return }
            isSocketNew = true
            start()
        }
    }

    private func stopWaiting() {
        timer?.cancel()
        timer = nil
        folder?.cancel()
        folder = nil
    }
}

/// What a watch has to tell.
package nonisolated enum WatchEvent: Sendable, Equatable {
    /// Where the service is: at the beginning and after every new connection.
    case state(JSONObject)
    /// Something happened.
    case notification(JSONObject)
    /// What the user should know about the connection.
    case note(String)
}
