// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryEventLoop
import BelfryLinux
import Foundation
import TestSupport

/// What a test puts in the place of a broker: it accepts connections, and says what the test tells it to.
final class StubBroker {
    /// CONNACK without properties.
    nonisolated static let accepted: [UInt8] = [0x20, 3, 0, 0, 0]

    let port: UInt16
    /// Whether it reads what clients send.
    var isReading = true
    /// Closes each connection as soon as it is accepted, or when the greeting is sent.
    var closesAtOnce = false
    var closesAfterGreeting = false
    /// The answer to the first bytes of each connection.
    var greeting: [UInt8] = []
    /// Sent again and again after the greeting, as fast as the client reads.
    var flood: [UInt8] = []
    private(set) var connectionCount = 0
    private(set) var receivedBytes = 0
    private(set) var sentBytes = 0

    private let loop: MainEventLoop
    private var listener: DescriptorEventSource?
    private var connection: DescriptorEventSource?
    private var outgoing: [UInt8] = []
    private var hasGreeted = false

    init(on loop: MainEventLoop, receiveBuffer: Int32? = nil) throws {
        self.loop = loop
        let (descriptor, port) = try LoopbackSocket.listen(receiveBuffer: receiveBuffer)
        self.port = port
        listener = try loop.source(owning: OwnedDescriptor(owning: descriptor), .readable) { [unowned self] _ in
            accept(from: descriptor)
        }
    }

    private func accept(from listener: Int32) {
        let descriptor = Foundation.accept(listener, nil, nil)
        guard descriptor >= 0 else { return }
        connectionCount += 1
        if closesAtOnce {
            close(descriptor)
            return
        }
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        (outgoing, hasGreeted) = ([], false)
        connection = try? loop.source(owning: OwnedDescriptor(owning: descriptor), .readable) { [unowned self] in
            transfer($0, descriptor)
        }
    }

    private func transfer(_ events: DescriptorEvents, _ descriptor: Int32) {
        if isReading || !hasGreeted, events.contains(.readable) {
            var buffer = [UInt8](repeating: 0, count: 1 << 16)
            let count = recv(descriptor, &buffer, buffer.count, 0)
            if count == 0 || count < 0 && errno != EAGAIN {
                connection?.cancel()
                return
            }
            receivedBytes += max(count, 0)
            if !hasGreeted { outgoing = greeting }
            hasGreeted = true
        }
        if hasGreeted, outgoing.count < 1 << 16, !flood.isEmpty {
            for _ in 0..<max(1, (1 << 16) / flood.count) { outgoing += flood }
        }
        let count = send(descriptor, outgoing, outgoing.count, Int32(MSG_NOSIGNAL))
        if count > 0 {
            sentBytes += count
            outgoing.removeFirst(count)
        }
        if closesAfterGreeting, hasGreeted, outgoing.isEmpty {
            connection?.cancel()
            return
        }
        connection?.events = [isReading ? .readable : [], outgoing.isEmpty && flood.isEmpty ? [] : .writable]
    }

    /// Sends bytes to the client.
    func say(_ bytes: [UInt8]) {
        outgoing += bytes
        connection?.events = [.readable, .writable]
    }

    /// Reads from now on.
    func read() {
        isReading = true
        connection?.events = [.readable, .writable]
    }

    /// PUBLISH of an empty message with the topic `x`, which has to be acknowledged.
    nonisolated static func message(_ packet: UInt16) -> [UInt8] {
        [0x32, 6, 0, 1, 0x78, UInt8(packet >> 8), UInt8(packet & 0xFF), 0]
    }
}
