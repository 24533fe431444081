// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import BelfryEventLoop
package import BelfryLinux

/// A connection to an MQTT 5 broker that is made again whenever it ends.
///
/// Nothing of a connection outlives it: each begins without a session at the broker (clean start), and what was published and
/// not acknowledged is forgotten; publish it again after the next `Event.connected`. All messages are QoS 1.
///
/// Events are reported from the loop, never from within a call. The loop never waits for the broker: names are resolved and TCP
/// connects on a thread of its own, one attempt at a time; the rest is non-blocking.
package final class BrokerConnection {
    /// What the owner of a connection hears.
    package nonisolated enum Event: Sendable, Equatable {
        /// The broker has accepted us, and our subscriptions were sent.
        case connected
        /// The connection was lost, or could not be made, and is tried again. Also said when an attempt takes long; it goes on
        /// then. The reason is one line: `unable to connect to 'HOST:PORT': …` or `lost the connection to 'HOST:PORT': …`.
        case disconnected(reason: String)
        case message(BrokerMessage)
        /// The broker has the message with this number.
        case acknowledged(Int)
        /// The broker does not take the message with this number, because it is too long or we are not allowed to.
        case refused(Int, reason: String)
        /// The broker refuses a subscription.
        case subscriptionRefused(topic: String, reason: String)
    }

    private enum State {
        /// Not started, or ended.
        case idle
        /// Until the timer starts the next attempt.
        case waiting
        /// A thread resolves the name and connects.
        case connecting(MosquittoHandle)
        /// Until the broker answers CONNECT.
        case greeting(BrokerLink)
        case connected(BrokerLink, since: MonotonicInstant)
        /// Until all is acknowledged and our good-bye is written, or the timer ends it. Without a link the timer only calls.
        case leaving(BrokerLink?, then: () -> Void)
    }

    private let settings: BrokerSettings
    private let times: BrokerTimes
    private let loop: MainEventLoop
    private let will: () -> BrokerMessage
    private let onEvent: (Event) -> Void
    private var state = State.idle
    private var timer: TimerEventSource?
    private var isThreadBusy = false
    private var backoff = Backoff()
    private var topics: [String] = []
    private var subscribing: [Int32: String] = [:]
    private var window = PublishWindow()
    private var lastID = 0
    /// Messages that were refused before they were sent, to be reported in the next turn.
    private var refused: [Event] = []
    private var later: DeferredEventSource?

    /// A connection that `start()` makes.
    ///
    /// - Parameters:
    ///   - will: called before each attempt to connect; what the broker publishes when the connection ends without
    ///     `disconnect(within:then:)`.
    ///   - onEvent: called on the main actor.
    /// - Throws: when the system has no memory left.
    package init(
        _ settings: BrokerSettings, on loop: MainEventLoop, times: BrokerTimes = BrokerTimes(),
        will: @escaping () -> BrokerMessage, onEvent: @escaping (Event) -> Void
    ) throws(SystemError) {
        self.settings = settings
        self.times = times
        self.loop = loop
        self.will = will
        self.onEvent = onEvent
        timer = try loop.timer(after: .zero) { [weak self] in self?.timeIsUp() }
        timer?.isEnabled = false
        later = try loop.deferred { [weak self] in self?.reportRefused() }
    }

    /// Connects, and keeps connected until `disconnect(within:then:)`. After that it may be called again.
    package func start() {
        guard case .idle = state else { return }
        backoff.reset()
        state = .waiting
        setTimer(.zero)
    }

    /// Whether the broker has accepted us.
    package var isConnected: Bool {
        if case .connected = state { true } else { false }
    }

    /// Whether the broker has answered to every subscription. What others publish before may be missed.
    package var isSubscribed: Bool { isConnected && subscribing.isEmpty }

    // MARK: Messages

    /// Subscribes to topics, at once and after each later connection, before `Event.connected` is reported.
    package func subscribe(_ topics: [String]) {
        let new = topics.filter { !self.topics.contains($0) }
        self.topics += new
        if case .connected(let link, _) = state { subscribe(new, link) }
    }

    private func subscribe(_ topics: [String], _ link: BrokerLink) {
        for topic in topics { subscribing[link.handle.subscribe(topic)] = topic }
        link.watch()
    }

    /// Ends subscriptions. Messages that are on their way still arrive.
    package func unsubscribe(_ topics: [String]) {
        self.topics.removeAll(where: topics.contains)
        guard case .connected(let link, _) = state else { return }
        for topic in topics { link.handle.unsubscribe(topic) }
        link.watch()
    }

    /// Whether `publish` takes a message now.
    package var hasRoom: Bool { isConnected && window.hasRoom && refused.count < 256 }

    /// Publishes a message at QoS 1.
    ///
    /// - Returns: its number, which no other message of this connection has. `Event.acknowledged` or `Event.refused` follows, unless
    ///   the connection ends before. Nil when there is no connection, or when 256 messages or 4 MiB wait to be acknowledged:
    ///   try again after the next `acknowledged` or `connected`.
    package func publish(_ message: BrokerMessage) -> Int? {
        guard case .connected(let link, _) = state, hasRoom else { return nil }
        lastID += 1
        let result =
            message.size <= BrokerMessage.sizeLimit
            ? link.handle.publish(message) : .failure(BrokerFailure("longer than 1 MiB"))
        switch result {
        case .success(let packet):
            window.add(packet, lastID, size: message.size)
            link.watch()
        case .failure(let failure):
            refused.append(.refused(lastID, reason: failure.reason))
            later?.schedule()
        }
        return lastID
    }

    private func reportRefused() {
        defer { refused = [] }
        for event in refused { onEvent(event) }
    }

    // MARK: Attempts

    private func timeIsUp() {
        switch state {
        case .waiting: connect()
        case .connecting:
            onEvent(
                .disconnected(reason: unable("no connection after \(times.attempt.components.seconds) s, still trying"))
            )
        case .leaving(let link, let then):
            link?.handle.disconnect()
            end(link, then)
        case .idle, .greeting, .connected: break
        }
    }

    private func connect() {
        // The thread of an earlier attempt may still wait for an answer, and two could be one too many for ever.
        guard !isThreadBusy else { return setTimer(.seconds(1)) }
        do throws(BrokerFailure) {
            let handle = try MosquittoHandle(settings, will: will())
            state = .connecting(handle)
            setTimer(times.attempt)
            isThreadBusy = true
            WorkerThread.run {
                handle.connect()
            } then: { [weak self] failure in
                self?.isThreadBusy = false
                self?.proceed(handle, failure)
            }
        } catch {
            retry(unable(error.reason))
        }
    }

    private func proceed(_ handle: MosquittoHandle, _ failure: String?) {
        guard case .connecting(let current) = state, current === handle else { return handle.disconnect() }
        if let failure { return retry(unable(failure)) }
        do throws(SystemError) {
            timer?.isEnabled = false
            state = .greeting(
                try BrokerLink(
                    handle, keepalive: .seconds(Int(settings.keepaliveSeconds)), times: times, on: loop,
                    onArrival: { [weak self] in self?.receive($1, $0) },
                    onEnd: { [weak self] in self?.linkEnded($0, $1) }))
        } catch {
            retry(unable(error.reason))
        }
    }

    private func retry(_ reason: String) {
        window = PublishWindow()
        subscribing = [:]
        state = .waiting
        setTimer(backoff.next())
        onEvent(.disconnected(reason: reason))
    }

    private func linkEnded(_ link: BrokerLink, _ reason: String) {
        switch state {
        case .greeting: retry(unable(reason))
        case .connected(_, let since):
            // A client that is thrown out again and again, such as the second one of a name, does not count as connected.
            if MonotonicInstant.now - since >= times.stable { backoff.reset() }
            retry("lost the connection to '\(settings.address)': \(reason)")
        case .leaving(_, let then): end(link, then)
        case .idle, .waiting, .connecting: break
        }
    }

    private func unable(_ reason: String) -> String { "unable to connect to '\(settings.address)': \(reason)" }

    // MARK: Arrivals

    private func receive(_ arrival: MosquittoHandle.Arrival, _ link: BrokerLink) {
        switch arrival {
        case .accepted:
            guard case .greeting = state else { return }
            state = .connected(link, since: .now)
            subscribe(topics, link)
            onEvent(.connected)
        case .message(let message): onEvent(.message(message))
        case .acknowledged(let packet, let refusal):
            guard let id = window.remove(packet) else { return }
            onEvent(refusal.map { .refused(id, reason: $0) } ?? .acknowledged(id))
            sayGoodbyeWhenDone()
        case .subscribed(let packet, let refusal):
            guard let topic = subscribing.removeValue(forKey: packet), let refusal else { return }
            onEvent(.subscriptionRefused(topic: topic, reason: refusal))
        }
    }

    // MARK: The end

    /// Waits until all that was published is acknowledged, says good-bye, so that the broker drops the will, and closes the
    /// connection. If this takes longer than `limit`, it closes it without having waited.
    ///
    /// - Parameter then: called when there is no connection any more, also when there was none; then nothing follows.
    package func disconnect(within limit: Duration, then: @escaping () -> Void) {
        switch state {
        case .connected(let link, _):
            state = .leaving(link, then: then)
            setTimer(limit)
            sayGoodbyeWhenDone()
        case .greeting(let link):
            state = .leaving(link, then: then)
            setTimer(.zero)
        case .idle, .waiting, .connecting:
            state = .leaving(nil, then: then)
            setTimer(.zero)
        case .leaving(let link, let first):
            state = .leaving(link) {
                first()
                then()
            }
        }
    }

    private func sayGoodbyeWhenDone() {
        guard case .leaving(let link?, _) = state, window.isEmpty else { return }
        link.handle.disconnect()
        // Usually it is written now, and the library has closed its socket.
        if link.handle.socket < 0 { setTimer(.zero) } else { link.watch() }
    }

    private func end(_ link: BrokerLink?, _ then: () -> Void) {
        link?.close()
        timer?.isEnabled = false
        window = PublishWindow()
        subscribing = [:]
        state = .idle
        then()
    }

    // It fails only for a timer that was cancelled.
    private func setTimer(_ delay: Duration) { try? timer?.fire(after: delay) }
}
