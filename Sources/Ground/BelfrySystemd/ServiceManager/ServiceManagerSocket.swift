// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import BelfryEventLoop
package import BelfryLinux
internal import CBelfry
internal import Glibc

/// The socket on which the service manager listens, `$NOTIFY_SOCKET` (sd_notify(3)).
///
/// Sending never blocks. A message that the manager does not take at once goes into a queue, in order, and is tried
/// again for half a minute; of messages about the present state, such as the status, only the latest is kept. A
/// process should have one socket, since messages of two sockets have no order.
package final class ServiceManagerSocket {
    /// What became of a message.
    package nonisolated enum Outcome: Sendable, Equatable {
        /// There is no service manager. This is not an error.
        case absent
        /// It was sent. The manager does not say whether it acts on it.
        case sent
        /// The manager has no room for it now. It is sent after the messages that wait, unless that takes too long.
        case waiting
        /// It could not be sent.
        case failed(SystemError)

        /// Whether the manager has it, or will have it if it reads in time.
        package var isUnderWay: Bool { self == .sent || self == .waiting }
    }

    /// A datagram that waits.
    private struct Datagram {
        let text: String
        /// Copies: the sender may have closed its own by now.
        let descriptors: [OwnedDescriptor]
        /// What it is about, if a later message about the same replaces it.
        let keys: Set<ServiceManagerMessage.Key>?
        let end: MonotonicInstant
    }

    /// How long sending is tried again.
    private static let timeout: UInt64 = 30_000_000
    private static let limit = (messages: 1024, bytes: 1 << 20)
    /// Room in the queue that messages about stored descriptors leave to messages about the service itself.
    private static let reserve = 256
    /// The bytes that a descriptor counts for.
    private static let descriptorWeight = 1024

    private let socket: DatagramSocket?
    private let queue: SendQueue<Datagram>

    /// Makes a socket that speaks to `$NOTIFY_SOCKET`.
    package convenience init() { self.init(address: getenv("NOTIFY_SOCKET").map { String(cString: $0) }) }

    /// Makes a socket that speaks to a manager at this address; nil for none.
    package init(address: String?) {
        let socket = address.map { DatagramSocket(to: $0) }
        self.socket = socket
        queue = SendQueue(items: Self.limit.messages, bytes: Self.limit.bytes) {
            $0.text.utf8.count + $0.descriptors.count * Self.descriptorWeight
        } attempt: { datagram in
            guard let socket, MonotonicInstant.now < datagram.end else { return .lost }
            return switch Self.send(datagram.text, datagram.descriptors.map(\.number), to: socket) {
            case 0: .sent
            case EAGAIN: .again
            default: .lost
            }
        }
    }

    /// Whether a service manager has started this process, and wants to hear of it.
    package var isPresent: Bool { socket != nil }

    /// Whether there is a manager, and the unit may have a descriptor store. systemd tells its size since version 254.
    package var hasDescriptorStore: Bool { socket != nil && getenv("FDSTORE").map { String(cString: $0) } != "0" }

    /// Retries messages that wait on this loop, and reports messages that were dropped.
    ///
    /// - Parameter onDrop: called with how many messages the manager did not take in time.
    package func retry(on loop: MainEventLoop, onDrop: @escaping (Int) -> Void) {
        queue.loop = loop
        queue.onDrop = onDrop
    }

    /// Sends messages in one datagram, with copies of descriptors if there are any (at most 253). Never blocks.
    @discardableResult
    package func send(_ messages: [ServiceManagerMessage], descriptors: [Int32] = []) -> Outcome {
        guard let socket else { return .absent }
        let text = messages.map(\.text).joined(separator: "\n")
        if queue.isEmpty {
            let code = Self.send(text, descriptors, to: socket)
            if code == 0 { return .sent }
            guard code == EAGAIN else { return .failed(Self.error(code)) }
        }
        let keys = messages.map(\.replaceable)
        let isReplaceable = !keys.contains(nil)
        let latest = Set(keys.compactMap { $0 })
        if isReplaceable { queue.remove { $0.keys?.isSubset(of: latest) == true } }
        let copies = descriptors.compactMap { try? OwnedDescriptor(copying: $0) }
        guard copies.count == descriptors.count else { return .failed(Self.error(EMFILE)) }
        let end = MonotonicInstant(microseconds: MonotonicInstant.now.microseconds + Self.timeout)
        let datagram = Datagram(text: text, descriptors: copies, keys: isReplaceable ? latest : nil, end: end)
        let isStoring = messages.contains(where: \.isAboutTheStore)
        return queue.add(datagram, reserve: isStoring ? Self.reserve : 0) ? .waiting : .failed(Self.error(EAGAIN))
    }

    /// Sends what waits before the process ends, until the manager has taken nothing for a tenth of a second, and then
    /// blocks until the manager has processed it, at most for a second: it must know the sender, which is about to
    /// vanish.
    package func finish() {
        queue.finish()
        if socket != nil, queue.isEmpty { waitForBarrier(limit: .seconds(1)) }
    }

    private static func send(_ text: String, _ descriptors: [Int32], to socket: DatagramSocket) -> Int32 {
        guard let first = socket.address.utf8.first, first == UInt8(ascii: "/") || first == UInt8(ascii: "@") else {
            return EAFNOSUPPORT
        }
        var text = text
        return text.withUTF8 { socket.send(UnsafeRawBufferPointer($0), descriptors: descriptors) }
    }

    private static func error(_ code: Int32) -> SystemError {
        SystemError(code, verb: "notify", object: "service manager")
    }
}

/// The watchdog that the unit sets on this process (systemd.service(5), `WatchdogSec=`).
package nonisolated enum Watchdog {
    /// The shortest time that is supported: a keep-alive every 10 ms.
    package static let shortest: Duration = .milliseconds(20)

    /// The time within which the watchdog expects the next `WATCHDOG=1`; nil when there is none, or when it is set on
    /// another process (sd_watchdog_enabled(3)).
    package static var timeout: Duration? {
        var usec: UInt64 = 0
        return sd_watchdog_enabled(0, &usec) > 0 ? .microseconds(Int64(clamping: usec)) : nil
    }
}
