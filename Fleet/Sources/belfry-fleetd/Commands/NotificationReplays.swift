// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryClient
import BelfryEventLoop
import BelfryJSON
import BelfryLinux
import Varlink

/// Sends the past notifications that others ask for, one request after the other, as fast as the broker takes them.
///
/// They come from the memory of the service; those of an earlier boot come from the journal.
final class NotificationReplays {
    /// A request for notifications, and who made it.
    nonisolated struct Request: Sendable {
        let command: FleetCommand
        let sender: String
        let bootID: String?
        let after: Int64
    }

    /// How many requests may wait.
    static let waitingMax = 64
    /// How many notifications one request gets. Who needs more asks again.
    static let notificationsMax = 10_000
    private static let timeout = Duration.seconds(60)

    private let socket: String
    private let loop: MainEventLoop
    private let broker: any FleetBroker
    /// Sends an answer.
    private let answer: (FleetReply, _ sender: String) -> Void
    private var waiting: [Request] = []
    private var current: (request: Request, client: VarlinkClient?, timer: TimerEventSource)?
    /// Notifications that were read and that the broker had no room for.
    private var unsent: [JSONObject] = []
    private var sent = 0
    private var last: Int64 = 0
    /// The number of the last notification when the replay began.
    private var end: Int64?
    private var hasRestarted = false

    init(
        socket: String, on loop: MainEventLoop, _ broker: any FleetBroker,
        answer: @escaping (FleetReply, String) -> Void
    ) {
        self.socket = socket
        self.loop = loop
        self.broker = broker
        self.answer = answer
    }

    /// Answers a request, at once or after those before it.
    func add(_ request: Request) {
        // One that is repeated is answered once.
        let key = UTF8Text(request.command.id)
        if waiting.contains(where: { UTF8Text($0.command.id) == key }) { return }
        if let current, UTF8Text(current.request.command.id) == key { return }
        guard waiting.count < Self.waitingMax else {
            return answer(
                FleetReply(id: request.command.id, .refused, reason: "too many requests wait"), request.sender)
        }
        waiting.append(request)
        if current == nil { startNext() }
    }

    /// To be called when the broker has acknowledged a message.
    func proceed() {
        guard let current else { return }
        var count = 0
        while broker.hasRoom, count < unsent.count {
            send(unsent[count], for: current.request)
            count += 1
        }
        unsent.removeFirst(count)
        current.client?.setPaused(!unsent.isEmpty)
        if unsent.isEmpty { finishAtEnd() }
    }

    /// Forgets all requests: their senders ask again when the connection is back.
    func cancel() {
        waiting = []
        close()
    }

    private func startNext() {
        while current == nil, !waiting.isEmpty { start(waiting.removeFirst()) }
    }

    private func start(_ request: Request) {
        do {
            let client = try ServiceSocket.connect(socket, on: loop)
            let timer = try loop.timer(after: Self.timeout) { [weak self] in self?.fail("it took too long") }
            current = (request, client, timer)
            (sent, last, end, hasRestarted) = (0, request.after, nil, false)
            subscribe(after: request.after)
        } catch let failure as ClientFailure {
            answer(FleetReply(id: request.command.id, .failed, reason: failure.lines[0]), request.sender)
        } catch {
            answer(FleetReply(id: request.command.id, .failed, reason: "\(error)"), request.sender)
        }
    }

    private func subscribe(after: Int64) {
        guard let client = current?.client else { return }
        client.more("\(ServiceClient.interface).Subscribe", ["after": .int(after)]) { [weak self, weak client] result in
            guard let self, let client, client === current?.client else { return }
            switch result {
            case .success(let reply): receive(reply.parameters)
            case .failure(.failed(let name, let parameters))
            where name.hasSameBytes(as: "\(ServiceClient.interface).NotRetained") && !hasRestarted:
                hasRestarted = true
                subscribe(after: max(after, (parameters["oldest"]?.intValue ?? .max).subtracting(1)))
            case .failure(let error): fail(ClientFailure(calling: error, to: "watch", socket).lines[0])
            }
        }
    }

    private func receive(_ reply: JSONObject) {
        guard let request = current?.request else { return }
        if let state = reply["state"]?.objectValue {
            let bootID = state["bootId"]?.stringValue ?? ""
            if let wanted = request.bootID, !wanted.hasSameBytes(as: bootID) {
                return readJournal(ofBoot: wanted, for: request)
            }
            end = state["sequence"]?.intValue ?? 0
        } else if let notification = reply["notification"]?.objectValue {
            if broker.hasRoom, unsent.isEmpty {
                send(notification, for: request)
            } else {
                unsent.append(notification)
                current?.client?.setPaused(true)
            }
        }
        if unsent.isEmpty { finishAtEnd() }
    }

    private func readJournal(ofBoot bootID: String, for request: Request) {
        let client = current?.client
        current?.client = nil
        client?.close()
        guard let boot = EarlierBoot(bootID, socket: socket) else { return fail("there is no journal of that boot") }
        WorkerThread.run {
            Result { () throws(SystemError) in try boot.notifications(after: request.after) }
        } then: { [weak self] result in
            guard let self, let current, current.request.command.id.hasSameBytes(as: request.command.id) else { return }
            switch result {
            case .success(let notifications):
                end = notifications.last?["sequence"]?.intValue ?? request.after
                unsent = notifications
                proceed()
            case .failure(let error): fail("\(error)")
            }
        }
    }

    private func send(_ notification: JSONObject, for request: Request) {
        answer(FleetReply(id: request.command.id, .notification(notification)), request.sender)
        last = notification["sequence"]?.intValue ?? last
        sent += 1
    }

    private func finishAtEnd() {
        guard let request = current?.request, let end, last >= end || sent >= Self.notificationsMax else { return }
        answer(FleetReply(id: request.command.id, .done, result: ["last": .int(last)]), request.sender)
        close()
        startNext()
    }

    private func fail(_ reason: String) {
        guard let request = current?.request else { return }
        answer(FleetReply(id: request.command.id, .failed, reason: reason), request.sender)
        close()
        startNext()
    }

    private func close() {
        let ended = current
        // Closing a client ends its calls, which are no longer ours.
        current = nil
        ended?.timer.cancel()
        ended?.client?.close()
        unsent = []
    }
}
