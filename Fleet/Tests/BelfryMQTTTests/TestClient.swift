// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryEventLoop
import BelfryMQTT
import TestSupport

/// A connection that records its events, on a loop that the test turns.
final class TestClient {
    private(set) var events: [BrokerConnection.Event] = []
    /// How often the will was asked for. It has the topic `will/NAME` and says this number.
    private(set) var wills = 0
    private var connection: BrokerConnection?
    private let settings: BrokerSettings

    /// Starts a connection.
    init(
        _ settings: BrokerSettings, on loop: MainEventLoop, subscribing topics: [String] = [],
        times: BrokerTimes = BrokerTimes()
    ) throws {
        self.settings = settings
        let connection = try BrokerConnection(settings, on: loop, times: times) { [unowned self] in
            wills += 1
            return BrokerMessage(
                topic: "will/\(settings.clientID)", payload: Array("\(wills)".utf8), isRetained: true)
        } onEvent: { [unowned self] in
            events.append($0)
        }
        self.connection = connection
        connection.subscribe(topics)
        connection.start()
    }

    /// The connection under test.
    var broker: BrokerConnection {
        guard let connection else { preconditionFailure("the connection was killed") }
        return connection
    }

    /// Closes the connection without a word, like the end of the process.
    func kill() { connection = nil }

    /// Publishes text.
    @discardableResult
    func publish(_ topic: String, _ text: String, isRetained: Bool = false) -> Int? {
        broker.publish(BrokerMessage(topic: topic, payload: Array(text.utf8), isRetained: isRetained))
    }

    /// The messages that arrived: `TOPIC TEXT`, and ` retained` for those that the broker had kept.
    var messages: [String] {
        events.compactMap {
            guard case .message(let message) = $0 else { return nil }
            let text = String(decoding: message.payload, as: UTF8.self)
            return "\(message.topic) \(text)\(message.isRetained ? " retained" : "")"
        }
    }

    /// Why connections ended or could not be made.
    var reasons: [String] {
        events.compactMap { if case .disconnected(let reason) = $0 { reason } else { nil } }
    }

    /// How often it has connected.
    var connections: Int { events.count { $0 == .connected } }

    /// How many messages were acknowledged.
    var acknowledgements: Int { events.count { if case .acknowledged = $0 { true } else { false } } }
}

extension MainEventLoop {
    /// Turns the loop until `condition` holds, and lets the main queue run, on which work of other threads ends.
    func turn(until condition: () -> Bool) async throws {
        let start = MonotonicInstant.now
        while !condition() {
            guard MonotonicInstant.now - start < .seconds(50) else { throw Late() }
            try turn(waiting: .milliseconds(5))
            await Task.yield()
        }
    }
}

/// A condition did not become true in time.
struct Late: Error {}
