// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Belfry
import BelfryConfiguration
import BelfryMQTT
import BelfrySystemd
import Logging

/// Joins the service of this host with the broker: makes the parts of belfry-fleetd, and hands each message to the one it is for.
final class FleetListener: LifecycleListener, ViewBroker {
    /// How long the broker may take to acknowledge the last state.
    private static let leavingTimeout = Duration.seconds(5)

    private let service: BelfryService
    private let settings: SettingsHandle<FleetSettings>
    private let brokerSection: SettingsHandle<BrokerSection>
    private let logger = Logger(label: "belfry-fleetd")
    private var connection: BrokerConnection?
    private var publisher: HostPublisher?
    private var receiver: CommandReceiver?
    private var replays: NotificationReplays?
    private var view: FleetServer?

    init(_ service: BelfryService) throws {
        self.service = service
        settings = try service.settings(FleetSettings.self, section: "Fleet")
        brokerSection = try service.settings(BrokerSection.self, section: "Broker")
    }

    var answers: [LifecycleAnswer] {
        on(.willFinishLaunching) { [self] _ in
            do {
                try prepare()
            } catch {
                throw LifecycleRefusal("\(error)")
            }
        }
        // It is ready without the broker, which may be away.
        on(.didFinishLaunching) { [self] _ in
            publisher?.start()
            connection?.start()
        }
        onCompletion(.willSleep) { [self] _, done in leave(.asleep, done) }
        on(.didWake) { [self] _ in connection?.start() }
        onCompletion(.willTerminate) { [self] _, done in leave(.stopped, done) }
        on(.willReload) { [self] in try check($0) }
    }

    private func prepare() throws {
        let fleet = settings.value
        let connection = try BrokerConnection(
            brokerSection.value.settings(clientID: "\(fleet.name)-\(fleet.host)"), on: service.loop
        ) { [unowned self] in
            publisher.map { $0.will() } ?? BrokerMessage(topic: "", payload: [])
        } onEvent: { [weak self] in
            self?.receive($0)
        }
        self.connection = connection
        publisher = HostPublisher({ [settings] in settings.value }, on: service.loop, self)
        let replays = NotificationReplays(socket: fleet.socket, on: service.loop, self) { [weak self] in
            self?.answer($0, to: $1)
        }
        self.replays = replays
        receiver = try CommandReceiver(
            accepts: { [settings] in settings.value.accepts($0, from: $1) }, directory: service.stateDirectory,
            services: ServiceCommands(socket: fleet.socket, on: service.loop), replays: replays
        ) { [weak self] in
            self?.answer($0, to: $1)
        }
        subscribe([fleet.topics.state(of: fleet.host), fleet.topics.command(from: "+", to: fleet.host)])
        view = try FleetServer(
            topics: fleet.topics, sender: fleet.host, version: ReleaseVersion.current,
            directory: service.stateDirectory, on: service.loop, broker: fleet.view ? self : nil)
        try view?.listen(at: "\(service.runtimeDirectory)/io.belfry.Fleet")
    }

    // The broker

    var hasRoom: Bool { connection?.hasRoom ?? false }

    func publish(_ topic: String, _ payload: [UInt8], isRetained: Bool, expiry: Duration?) {
        _ = connection?.publish(BrokerMessage(topic: topic, payload: payload, isRetained: isRetained, expiry: expiry))
    }

    func subscribe(_ topics: [String]) { connection?.subscribe(topics) }

    func unsubscribe(_ topics: [String]) { connection?.unsubscribe(topics) }

    private func answer(_ reply: FleetReply, to sender: String) {
        let fleet = settings.value
        publish(fleet.topics.reply(to: sender, from: fleet.host), reply.payload)
    }

    private func receive(_ event: BrokerConnection.Event) {
        switch event {
        case .connected:
            logger.notice("connected to '\(brokerSection.value.url)'", metadata: .kind(.broker))
            publisher?.connected()
            view?.brokerConnected()
        case .disconnected(let reason):
            logger.warning("\(reason)", metadata: .kind(.broker))
            publisher?.disconnected()
            replays?.cancel()
            view?.brokerLost(reason)
        case .message(let message): receive(message)
        case .acknowledged: proceed()
        case .refused(_, let reason):
            logger.warning("the broker has refused a message: \(reason)", metadata: .kind(.brokerRefusal))
            proceed()
        case .subscriptionRefused(let topic, let reason):
            logger.error(
                "the broker has refused the subscription to '\(topic)': \(reason)", metadata: .kind(.brokerRefusal))
        }
    }

    /// The broker has room again.
    private func proceed() {
        replays?.proceed()
        view?.brokerHasRoom()
    }

    private func receive(_ message: BrokerMessage) {
        guard let (host, use) = settings.value.topics.parse(message.topic) else { return }
        view?.receive(message.payload, from: host, use, isRetained: message.isRetained)
        let isOwn = host.hasSameBytes(as: settings.value.host)
        switch use {
        case .state where isOwn: publisher?.receive(own: message.payload)
        // A command that the broker keeps would be delivered again and again.
        case .command(let sender) where isOwn && !message.isRetained:
            receiver?.receive(message.payload, from: sender, now: UnixTime.now)
        default: break
        }
    }

    // The end, and sleep

    private func leave(_ state: HostReport.State, _ done: @escaping (Result<Void, any Error>) -> Void) -> () -> Void {
        replays?.cancel()
        if state == .asleep { view?.brokerLost("the machine sleeps") } else { view?.close() }
        publisher?.leave(state)
        guard let connection else {
            done(.success(()))
            return {}
        }
        connection.disconnect(within: Self.leavingTimeout) { done(.success(())) }
        return {}
    }

    // Reloads

    private func check(_ notification: LifecycleNotification) throws {
        let (old, new) = (settings.value, settings.value(in: notification))
        guard old.hasSameIdentity(as: new), brokerSection.value == brokerSection.value(in: notification) else {
            throw LifecycleRefusal(
                "Name=, Host=, View= and Socket= of [Fleet] and [Broker] can be changed by a restart only")
        }
    }
}
