// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Belfry
import Glibc

/// Sends a client back what it sends.
///
/// Bytes leave the kernel's receive buffer when they have been sent back. So a restart loses nothing: what is not answered yet
/// waits in the kernel for the next process. Only `kill -9` between the two calls makes the next process repeat an answer.
final class EchoClient {
    private let onEnd: () -> Void
    private var source: DescriptorEventSource?

    init(_ descriptor: OwnedDescriptor, _ loop: MainEventLoop, onEnd: @escaping () -> Void) throws {
        self.onEnd = onEnd
        source = try loop.source(owning: descriptor, .readable) { [unowned self] _ in echo() }
    }

    /// Whether what the client sends waits in the kernel.
    var isPaused = false { didSet { source?.isEnabled = !isPaused } }

    private func echo() {
        guard let source else { return }
        var buffer = [UInt8](repeating: 0, count: 4096)
        let (peek, send) = (Int32(MSG_PEEK | MSG_DONTWAIT), Int32(MSG_NOSIGNAL | MSG_DONTWAIT))
        let seen = recv(source.descriptor, &buffer, buffer.count, peek)
        let sent = seen > 0 ? Glibc.send(source.descriptor, buffer, seen, send) : seen
        if sent > 0 {
            recv(source.descriptor, &buffer, sent, 0)
            source.events = .readable
        } else if sent < 0, errno == EAGAIN {
            // The client does not read: wait until it does.
            source.events = seen > 0 ? .writable : .readable
        } else {
            onEnd()
        }
    }
}
