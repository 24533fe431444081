// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryClient
import BelfryEventLoop
import BelfryJSON
import BelfryLinux
import BelfryMQTT
import BelfrySystemd
import Logging

/// Tells the fleet about the service of this host: its state, its notifications.
final class HostPublisher {
    private let settings: () -> FleetSettings
    private let loop: MainEventLoop
    private let broker: any FleetBroker
    private let logger = Logger(label: "belfry-fleetd.host")
    private var presence = HostPresence(now: UnixTime.now)
    /// The connection to the broker; its will has it too.
    private var session = IdentifierWords.random.text
    private var isConnected = false
    private var watch: Watch?
    private var renewal: TimerEventSource?
    private var retry: TimerEventSource?

    init(_ settings: @escaping () -> FleetSettings, on loop: MainEventLoop, _ broker: any FleetBroker) {
        self.settings = settings
        self.loop = loop
        self.broker = broker
    }

    /// Begins to follow the service, or to wait for it.
    func start() {
        watch = Watch(settings().socket, names: [], waitsForService: true, on: loop) { [weak self] in
            self?.receive($0)
        } onEnd: { [weak self] failure in
            self?.ended(failure)
        }
        watch?.start()
    }

    // The broker

    /// The will of the next connection.
    func will() -> BrokerMessage {
        session = IdentifierWords.random.text
        return BrokerMessage(topic: topic, payload: HostReport.will(session: session).payload, isRetained: true)
    }

    /// A connection to the broker has begun.
    func connected() {
        isConnected = true
        publish()
    }

    /// The connection to the broker has ended.
    func disconnected() {
        isConnected = false
        renewal = nil
    }

    /// What the broker has about this host: it is corrected if another client has changed it, or an old will has come late.
    func receive(own payload: [UInt8]) {
        guard isConnected else { return }
        let report = HostReport(payload)
        guard report?.state == .dead || report?.session.hasSameBytes(as: session) != true else { return }
        // At most one a second, if two hosts have the same name.
        publish(after: .seconds(1))
    }

    /// Says that the host leaves in order.
    func leave(_ state: HostReport.State) {
        guard isConnected else { return }
        let report = presence.last(state, session: session, now: UnixTime.now)
        broker.publish(topic, report.payload, isRetained: true, expiry: nil)
        disconnected()
    }

    private var topic: String { settings().topics.state(of: settings().host) }

    private func publish() {
        guard isConnected else { return }
        let usec = Int64(clamping: settings().renewal.microseconds)
        let report = presence.report(session: session, now: UnixTime.now, renewalUsec: usec)
        broker.publish(topic, report.payload, isRetained: true, expiry: nil)
        // With jitter, so that the hosts of a fleet do not all do it at the same time.
        publish(after: settings().renewal * Double.random(in: 0.9...1.1))
    }

    private func publish(after delay: Duration) {
        do {
            renewal = try loop.timer(after: delay, clock: .boottime) { [weak self] in self?.publish() }
        } catch {
            logger.error("\(error)", metadata: .kind(.service))
        }
    }

    // The service

    private func receive(_ event: WatchEvent) {
        let now = UnixTime.now
        switch event {
        case .state(let state):
            if presence.receive(state: state, now: now) { publish() }
        case .notification(let notification):
            if isConnected, let name = notification["name"]?.stringValue {
                let topic = settings().topics.notification(name, of: settings().host)
                broker.publish(topic, JSONValue.object(notification).json)
            }
            if presence.receive(notification: notification, now: now) { publish() }
        case .missed(let range):
            let what = "notifications \(range.lowerBound) to \(range.upperBound)"
            logger.info("\(what) are no longer available", metadata: .kind(.service))
        case .note(let text):
            logger.info("\(text)", metadata: .kind(.service))
            if watch?.isConnected == false, presence.serviceEnded(now: now) { publish() }
        }
    }

    /// The service cannot be followed, for example because it denies the permission.
    private func ended(_ failure: ClientFailure) {
        for line in failure.lines {
            logger.error("\(SystemError.escape(line))", metadata: .kind(.service))
        }
        if presence.serviceEnded(now: UnixTime.now) { publish() }
        do {
            retry = try loop.timer(after: .seconds(30)) { [weak self] in self?.start() }
        } catch {
            logger.error("\(error)", metadata: .kind(.service))
        }
    }
}
