// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryEventLoop
import BelfryJSON
import BelfryLinux
import BelfryListeners
import BelfrySystemd
import Logging
import Varlink

/// Offers `io.belfry.Fleet`: joins what the broker says of the hosts (`FleetView`) with what operators want
/// (`FleetServer+Methods.swift`).
final class FleetServer {
    /// Each connection has one call under way.
    private static let limits = {
        var limits = VarlinkLimits()
        limits.connections = 512
        limits.connectionsPerUser = 64
        return limits
    }()
    /// How long a host may take to send missing notifications.
    private static let questionTimeout = Duration.seconds(30)

    let server: VarlinkServer
    let limit: ReplyLimit
    let permissions: FleetPermissions
    /// What there is only with `View=yes`.
    private(set) var parts: Parts?
    var view = FleetView()
    private let topics: FleetTopics
    private let sender: String
    private let broker: (any ViewBroker)?
    private let interval: Duration
    let logger = Logger(label: "belfry-fleetd.view")
    private var timer: DueTimer?
    /// Why there is no connection to the broker.
    private(set) var brokerProblem = "there has been no connection to the broker yet"

    /// What the view is made of.
    struct Parts {
        let commands: CommandSender
        let watchers: WatchList
        let rolls: RollRunner
        let histories = HistoryAdmission()
    }

    /// A server that does not listen yet.
    ///
    /// - Parameters:
    ///   - topics: those of the fleet.
    ///   - sender: the name of this host at the broker.
    ///   - version: that of the program.
    ///   - directory: the state directory.
    ///   - broker: nil without `View=yes`: all calls then fail with `NoView`.
    ///   - interval: how often hosts are looked at whose reports may not hold any more, and how long a gap in the notifications of a
    ///     host may last before it is asked.
    /// - Throws: when the system has no memory left, or the interface is wrong.
    init(
        topics: FleetTopics, sender: String, version: String, directory: String, on loop: MainEventLoop,
        broker: (any ViewBroker)?, permissions: FleetPermissions = FleetPermissions(group: "belfry"),
        interval: Duration = .seconds(1)
    ) throws {
        self.topics = topics
        self.sender = sender
        self.broker = broker
        self.interval = interval
        self.permissions = permissions
        server = try VarlinkServer(
            VarlinkServiceInfo(
                vendor: "Belfry", product: "belfry-fleetd", version: version,
                url: "file:///usr/share/doc/belfry/README.md"), on: loop, limits: Self.limits)
        limit = ReplyLimit(server: server)
        timer = try DueTimer(on: loop) { [weak self] in self?.sweep() }
        server.add(try VarlinkInterface(fleetInterfaceText, methods: handlers))
        guard let broker else { return }
        let commands = try CommandSender(topics, as: sender, broker, on: loop) { [weak self] in
            self?.status($0)?.state?.isConnected ?? false
        }
        let watchers = WatchList(limit) { [weak self] in self?.status($0) }
        watchers.onChange = { [weak self] in self?.watchersChanged(isEmpty: $0) }
        let rolls = try RollRunner(directory: directory, commands, on: loop, logger) { [weak self] order in
            order.hosts.filter { self?.status($0)?.state == .active }
        }
        parts = Parts(commands: commands, watchers: watchers, rolls: rolls)
        broker.subscribe([topics.state(of: "+"), topics.reply(to: sender, from: "+")])
    }

    /// Listens at a path, whose directory must exist. Everyone may connect.
    func listen(at path: String) throws(SystemError) { try server.listen(on: path, mode: 0o666) }

    /// Stops a roll, and closes the socket and all connections. Call it before the connection to the broker ends: a host that is paused
    /// is resumed.
    func close() {
        parts?.rolls.viewLost("belfry-fleetd was stopped")
        server.close()
    }

    /// What is known of a host now.
    func status(_ host: String) -> HostStatus? { view.status(of: host, now: UnixTime.now) }

    // The broker

    /// There is a connection to the broker.
    func brokerConnected() {
        guard let parts else { return }
        view.brokerConnected()
        parts.watchers.send(note: "connected to the broker")
        parts.rolls.viewReturned()
        parts.commands.sendWaiting()
    }

    /// The connection to the broker ended, or could not be made.
    func brokerLost(_ reason: String) {
        brokerProblem = reason
        guard let parts, view.isCurrent else { return }
        view.brokerLost()
        parts.watchers.send(note: "every host is unknown: \(reason)")
        parts.watchers.list(view.names())
        parts.rolls.viewLost("the connection to the broker was lost")
    }

    /// The broker has room for further messages.
    func brokerHasRoom() { parts?.commands.sendWaiting() }

    /// Receives a message from the broker.
    ///
    /// - Parameters:
    ///   - host: the host of its topic, and what the topic is for.
    ///   - isRetained: whether the broker had it before we subscribed.
    func receive(_ payload: [UInt8], from host: String, _ use: FleetTopics.Use, isRetained: Bool) {
        guard let parts else { return }
        switch use {
        case .state: receive(state: payload, of: host, isRetained: isRetained, parts)
        case .notification:
            guard !isRetained, let object = try? JSONValue(json: payload).objectValue else { return }
            receive(object, of: host, parts)
        case .reply(let name):
            guard !isRetained, name.hasSameBytes(as: sender), let reply = FleetReply(payload) else { return }
            parts.commands.receive(reply, from: host)
        case .command: break
        }
    }

    private func receive(state payload: [UInt8], of host: String, isRetained: Bool, _ parts: Parts) {
        let hadExcess = view.excessReports > 0
        let change = view.receive(state: payload, of: host, isRetained: isRetained, now: UnixTime.now)
        if view.excessReports > 0, !hadExcess {
            let text = "ignoring further hosts: there are more than \(FleetView.hostsMax)"
            logger.error("\(text)", metadata: .kind(.view))
            parts.watchers.send(note: text)
        }
        guard let change else { return }
        if change.isBirth { parts.commands.repeatCommands(to: host) }
        if change.isVisible { changed(host, parts) }
    }

    private func changed(_ host: String, _ parts: Parts) {
        let status = status(host)
        if let status {
            parts.watchers.send(status)
        } else {
            parts.watchers.send(note: "\(host) was removed")
        }
        parts.rolls.hostChanged(host, isActive: status?.state == .active)
        setTimer()
    }

    private func receive(_ notification: JSONObject, of host: String, _ parts: Parts) {
        guard view.receive(notification, of: host), let status = status(host) else { return }
        parts.watchers.send(notification, of: status)
    }

    // Watchers

    private func watchersChanged(isEmpty: Bool) {
        view.follow(!isEmpty)
        let notifications = [topics.notification("+", of: "+")]
        isEmpty ? broker?.unsubscribe(notifications) : broker?.subscribe(notifications)
        setTimer()
    }

    /// Has hosts looked at, as long as somebody wants to know what changes by itself.
    func setTimer() {
        guard let parts, !parts.watchers.isEmpty || parts.rolls.isRunning else { return }
        if timer?.isSet == false { timer?.set(to: .now.advanced(by: interval)) }
    }

    private func sweep() {
        guard let parts else { return }
        let (changes, gaps) = view.sweep(now: UnixTime.now)
        for host in changes { changed(host, parts) }
        for gap in gaps { ask(gap, parts) }
        setTimer()
    }

    private func ask(_ gap: FleetView.Gap, _ parts: Parts) {
        _ = parts.commands.send(
            .notifications(bootID: gap.bootID, after: gap.after), to: [gap.host], within: Self.questionTimeout
        ) { [weak self] host, answer in
            switch answer {
            case .notification(let notification): self?.receive(notification, of: host, parts)
            case .ending(let ending): self?.endQuestion(to: host, ending, parts)
            }
        }
    }

    private func endQuestion(to host: String, _ ending: PendingCommands.Ending, _ parts: Parts) {
        let answer: NotificationTrack.Answer =
            switch ending {
            case .answered(.done, _, let result): .done(last: result?["last"]?.intValue)
            // There are too many questions.
            case .answered(.refused, _, _), .answered(.late, _, _), .away: .later
            case .answered, .timeout: .failed
            }
        guard let missing = view.endQuestion(to: host, answer) else { return }
        logger.warning("\(host): \(missing.text): \(SystemError.escape(ending.text))", metadata: .kind(.view))
        parts.watchers.send(note: "\(missing.text): \(ending.text)", of: status(host))
    }
}
