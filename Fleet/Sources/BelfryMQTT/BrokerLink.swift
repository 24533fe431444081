// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryEventLoop
internal import BelfryLinux
internal import CBelfryFleet
internal import Glibc

/// Drives a connection of libmosquitto on the loop, from the greeting to its end, within limits whatever the broker does.
final class BrokerLink {
    let handle: MosquittoHandle
    private let times: BrokerTimes
    /// Called with what has arrived, and in the end with the reason why the connection has ended.
    private let onArrival: (BrokerLink, MosquittoHandle.Arrival) -> Void
    private let onEnd: (BrokerLink, String) -> Void
    private var source: DescriptorEventSource?
    private var timer: TimerEventSource?

    private let start = MonotonicInstant.now
    private var isAccepted = false
    /// The broker is lost when it says nothing for this long; nil if it asked for connections that may be silent.
    private var silenceLimit: Duration?
    private var lastHeard = MonotonicInstant.now
    /// Bytes of the packet that is being received.
    private var partialBytes = 0
    /// Packets that were read since all answers to them were last written.
    private var unansweredPackets = 0

    /// Takes over a connection that has a socket.
    ///
    /// - Throws: when the system has no descriptor or no memory left.
    init(
        _ handle: MosquittoHandle, keepalive: Duration, times: BrokerTimes, on loop: MainEventLoop,
        onArrival: @escaping (BrokerLink, MosquittoHandle.Arrival) -> Void,
        onEnd: @escaping (BrokerLink, String) -> Void
    ) throws(SystemError) {
        self.handle = handle
        self.times = times
        self.onArrival = onArrival
        self.onEnd = onEnd
        silenceLimit = keepalive * 2
        // A copy, since libmosquitto closes its own descriptor before we know.
        let copy = try OwnedDescriptor(copying: handle.socket)
        source = try loop.source(owning: copy, .readable) { [weak self] in self?.transfer($0) }
        timer = try loop.timer(after: times.tick, accuracy: .milliseconds(100)) { [weak self] in self?.tick() }
        watch()
    }

    /// Whether this connection is still watched.
    var isOpen: Bool { source != nil }

    /// Ends the connection without another word.
    func close() {
        source?.cancel()
        source = nil
        timer?.cancel()
        timer = nil
    }

    /// To be called after each call of `handle` that may have left something to write.
    func watch() {
        guard let source else { return }
        let wantsWrite = handle.wantsWrite
        if !wantsWrite { unansweredPackets = 0 }
        source.events = isHeldBack ? .writable : wantsWrite ? [.readable, .writable] : .readable
    }

    /// Whether the broker has to read our answers before we read more: the library has no limit on answers that wait.
    private var isHeldBack: Bool { unansweredPackets > 1000 }

    private func transfer(_ events: DescriptorEvents) {
        // First what the broker has to say: if it has gone, a write would only find that out.
        var end = isHeldBack ? nil : read(events)
        if end == nil, handle.wantsWrite {
            end = handle.write()
            // The library may have stopped reading when it could not write. What it has decrypted by then is not on the socket.
            if end == nil, !handle.wantsWrite { end = read([]) }
        }
        conclude(end)
    }

    private func read(_ events: DescriptorEvents) -> String? {
        var available: Int32 = 0
        _ = ioctl(handle.socket, UInt(FIONREAD), &available)
        let packets = handle.packetCount
        if let end = handle.read() { return end }
        let handled = handle.packetCount - packets
        unansweredPackets += handled
        if handled > 0 {
            partialBytes = 0
            lastHeard = .now
            return nil
        }
        // All that was available now belongs to one packet.
        partialBytes += Int(available)
        if partialBytes > BrokerMessage.sizeLimit * 2 { return "the broker sends a packet of more than 1 MiB" }
        // The library does not always notice the end of the connection during a TLS handshake.
        return available == 0 && events.contains(.readable) ? "the broker closed the connection" : nil
    }

    private func tick() {
        guard let timer else { return }
        try? timer.fire(after: times.tick)
        var end = handle.tick()
        let silence = MonotonicInstant.now - lastHeard
        if end == nil, !isAccepted, MonotonicInstant.now - start >= times.answer {
            end = "no answer from the broker in \(times.answer.components.seconds) s"
        } else if end == nil, isAccepted, let silenceLimit, silence >= silenceLimit {
            end = "nothing from the broker for \(silence.components.seconds) s"
        }
        conclude(end)
    }

    /// Hands over what the last call has brought.
    private func conclude(_ end: String?) {
        for arrival in handle.takeArrivals() {
            if case .accepted(let keepalive) = arrival {
                guard !isAccepted else { continue }
                isAccepted = true
                if let keepalive { silenceLimit = keepalive == .zero ? nil : keepalive * 2 }
            }
            onArrival(self, arrival)
            guard isOpen else { return }
        }
        guard let end else { return watch() }
        close()
        onEnd(self, end)
    }
}
